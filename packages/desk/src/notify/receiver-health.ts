import { backoff } from '../worker/backoff.ts';

/** The pause while another delivery tests the receiver, in milliseconds. */
const PROBE_MS = 250;

/**
 * The availability of a receiver for this process. A receiver that has not responded yet, or no
 * longer responds, gets one request at a time. Pauses follow failures, so that the receiver does
 * not occupy all workers.
 */
export class ReceiverHealth {
  #isAvailable = false;
  #failures = 0;
  #restUntil = 0;
  #isProbed = false;

  /** Returns whether a request may be sent now. */
  isAvailable(now: number): boolean {
    return this.#isAvailable || (now >= this.#restUntil && !this.#isProbed);
  }

  /** The pause before the next request, in milliseconds; 0 if it may be sent now. */
  admit(now: number): number {
    if (this.#isAvailable) return 0;
    if (now < this.#restUntil) return this.#restUntil - now;
    if (this.#isProbed) return PROBE_MS;
    this.#isProbed = true;
    return 0;
  }

  /** Records a successful request. */
  recordSuccess(): void {
    this.#isAvailable = true;
    this.#failures = 0;
    this.#isProbed = false;
  }

  /** Records a failed request. Concurrent failures count as one. */
  recordFailure(now: number): void {
    this.#isAvailable = false;
    this.#isProbed = false;
    if (now < this.#restUntil) return;
    this.#failures += 1;
    this.#restUntil = now + backoff(this.#failures);
  }

  /** Records a request without a result. */
  recordNothing(): void {
    this.#isProbed = false;
  }
}
