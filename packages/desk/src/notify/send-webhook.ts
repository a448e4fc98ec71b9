import type { DeskEvent } from '../model/desk-event.ts';
import type { Receiver } from './receiver.ts';
import { webhookBody, webhookHeaders } from './webhook-message.ts';

/** How long a receiver may take, in milliseconds. */
const PATIENCE_MS = 10_000;

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
 * Sends an event to a receiver. It is sent nowhere else: a redirect is a failure. The body of the response
 * is not read.
 */
export async function sendWebhook(
  { url, signers }: Receiver,
  event: DeskEvent,
  signals: readonly AbortSignal[],
): Promise<SentWebhook> {
  const body = webhookBody(event);
  const patience = new Patience(signals);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: webhookHeaders(event.id, body, signers, new Date()),
      body,
      redirect: 'manual',
      signal: patience.signal,
    });
    await response.body?.cancel();
    return outcomeOf(response.status);
  } catch (error) {
    return { status: 'failed', problem: problemOf(error), forGood: false };
  } finally {
    patience.end();
  }
}

/** A signal that aborts with others, or after a while. They outlive it, so it leaves nothing with them. */
class Patience {
  readonly #controller = new AbortController();
  readonly #others: readonly AbortSignal[];
  readonly #abort = () => this.#controller.abort();
  readonly #timer = setTimeout(
    () => this.#controller.abort(new DOMException('It took too long.', 'TimeoutError')),
    PATIENCE_MS,
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
    return `The receiver did not respond within ${PATIENCE_MS / 1_000} seconds.`;
  }
  const code: unknown = Object(Object(error).cause).code;
  return `It cannot be reached${typeof code === 'string' ? ` (${code})` : ''}.`;
}
