import type { DeskEvent } from '../model/desk-event.ts';
import type { Receiver } from './receiver.ts';
import { webhookBody, webhookHeaders } from './webhook-message.ts';

/** The time that a receiver has to respond, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** The outcome of a request to a receiver. */
export type SentWebhook =
  | { readonly status: 'delivered' }
  | {
      readonly status: 'failed';
      readonly problem: string;
      /** True if the receiver rejected the event for good. */
      readonly forGood: boolean;
    };

/**
 * Sends an event to a receiver. A redirect is a failure, so it is sent to no other address. The body of the response
 * is not read.
 */
export async function sendWebhook(
  { url, signers }: Receiver,
  event: DeskEvent,
  signals: readonly AbortSignal[],
): Promise<SentWebhook> {
  const body = webhookBody(event);
  const timeout = new Timeout(signals);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: webhookHeaders(event.id, body, signers, new Date()),
      body,
      redirect: 'manual',
      signal: timeout.signal,
    });
    await response.body?.cancel();
    return outcomeOf(response.status);
  } catch (error) {
    return { status: 'failed', problem: problemOf(error), forGood: false };
  } finally {
    timeout.end();
  }
}

/**
 * A signal that aborts with another one or after a timeout. It removes its listeners, because the
 * other signal outlives it.
 */
class Timeout {
  readonly #controller = new AbortController();
  readonly #others: readonly AbortSignal[];
  readonly #abort = () => this.#controller.abort();
  readonly #timer = setTimeout(
    () => this.#controller.abort(new DOMException('It took too long.', 'TimeoutError')),
    TIMEOUT_MS,
  );

  constructor(others: readonly AbortSignal[]) {
    this.#others = others;
    for (const other of others) {
      if (other.aborted) this.#abort();
      other.addEventListener('abort', this.#abort);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    clearTimeout(this.#timer);
    for (const other of this.#others) other.removeEventListener('abort', this.#abort);
  }
}

const GONE = 410;

function outcomeOf(status: number): SentWebhook {
  if (status >= 200 && status < 300) return { status: 'delivered' };
  const problem = `The receiver responded with status ${status}.`;
  return { status: 'failed', problem, forGood: status === GONE };
}

/** Returns a text without details of the error, which may contain addresses. */
function problemOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `The receiver did not respond within ${TIMEOUT_MS / 1_000} seconds.`;
  }
  const code: unknown = Object(Object(error).cause).code;
  return `It cannot be reached${typeof code === 'string' ? ` (${code})` : ''}.`;
}
