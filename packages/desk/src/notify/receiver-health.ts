import { backoff } from '../worker/backoff.ts';

/** How long to wait while somebody else finds out whether a receiver answers, in milliseconds. */
const PROBE_MS = 250;

/**
 * Whether a receiver answers, as far as this process knows. One that has not answered yet, or does not any
 * more, is asked once at a time, with pauses after failures: to wait for it again and again would keep
 * workers from everything else.
 */
export class ReceiverHealth {
  #answers = false;
  #failures = 0;
  #restUntil = 0;
  #isProbed = false;

  /** Whether a request may be sent now. */
  isAvailable(now: number): boolean {
    return this.#answers || (now >= this.#restUntil && !this.#isProbed);
  }

  /** How long to wait before the next request, in milliseconds; 0 if it may be sent now. */
  admit(now: number): number {
    if (this.#answers) return 0;
    if (now < this.#restUntil) return this.#restUntil - now;
    if (this.#isProbed) return PROBE_MS;
    this.#isProbed = true;
    return 0;
  }

  /** A request was answered as it should be. */
  noteSuccess(): void {
    this.#answers = true;
    this.#failures = 0;
    this.#isProbed = false;
  }

  /** A request came to nothing. Those that were sent together count as one. */
  noteFailure(now: number): void {
    this.#answers = false;
    this.#isProbed = false;
    if (now < this.#restUntil) return;
    this.#failures += 1;
    this.#restUntil = now + backoff(this.#failures);
  }

  /** Nobody has found out anything. */
  noteNothing(): void {
    this.#isProbed = false;
  }
}
