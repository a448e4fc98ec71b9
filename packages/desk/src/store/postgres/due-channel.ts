import { setTimeout as sleep } from 'node:timers/promises';
import type { ReportError } from '../../errors/report-error.ts';
import { newId } from '../../model/new-id.ts';
import type { DueListeners } from '../due-listeners.ts';
import { ANY_CHANGE, mergeChanges, type StoreChange } from '../store-change.ts';
import { connectTo, type PostgresClient, type PostgresPool } from './postgres-pool.ts';

const CHANNEL = 'holdpoint_desk';
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Tells other processes that a task may be due, and hears it from them. It saves waiting, and nothing depends
 * on it: what is not heard is found at the next look.
 */
export class DueChannel {
  readonly #pool: PostgresPool;
  readonly #due: DueListeners;
  readonly #closing = new AbortController();
  /** Says whose word it is: here it is known already. */
  readonly #name = newId();
  #listening: Promise<void> | undefined;
  #sending: Promise<void> | undefined;
  #pending: StoreChange | undefined;
  readonly #report: ReportError;
  /** True from the first error until something works again: an outage is reported once. */
  #isFailing = false;

  constructor(pool: PostgresPool, due: DueListeners, report: ReportError) {
    this.#pool = pool;
    this.#due = due;
    this.#report = report;
  }

  /** Begins to listen, on a connection of its own, until it is closed. */
  listen(): void {
    this.#listening ??= this.#listen();
  }

  /**
   * Notifies the others, soon: many changes at once become one. It is a transaction of its own, since those
   * that notify are committed one after the other, each with its sync to disk.
   */
  notify(change: StoreChange): void {
    this.#pending = mergeChanges(this.#pending, change);
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  async close(): Promise<void> {
    await this.#sending;
    this.#closing.abort();
    await this.#listening;
  }

  async #send(): Promise<void> {
    for (let change = this.#takePending(); change !== undefined; change = this.#takePending()) {
      try {
        const client = await connectTo(this.#pool);
        await client
          .query({
            text: 'select pg_notify($1, $2)',
            values: [CHANNEL, payloadOf(this.#name, change)],
          })
          .finally(() => client.release());
        this.#isFailing = false;
      } catch (error) {
        // They find it at their next look.
        this.#reportOnce(error);
      }
    }
  }

  #takePending(): StoreChange | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    return pending;
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closing;
    for (
      let pause = FIRST_PAUSE_MS;
      !signal.aborted;
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    ) {
      const hasListened = await this.#hear().catch((error: unknown) => {
        this.#reportOnce(error);
        return false;
      });
      if (hasListened) pause = FIRST_PAUSE_MS;
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
    }
  }

  /** Listens until the connection is lost. */
  async #hear(): Promise<true> {
    const client = await connectTo(this.#pool);
    try {
      const over = this.#endOf(client);
      client.on('notification', ({ payload }: { readonly payload?: string | undefined }) => {
        const { from, change } = readPayload(payload);
        if (from !== this.#name) this.#due.notify(change);
      });
      await client.query({ text: `listen ${CHANNEL}` });
      this.#isFailing = false;
      // There may have been something while nobody listened.
      this.#due.notify(ANY_CHANGE);
      await over;
      return true;
    } finally {
      client.release(true);
    }
  }

  #reportOnce(error: unknown): void {
    if (!this.#isFailing && !this.#closing.signal.aborted) this.#report(error);
    this.#isFailing = true;
  }

  #endOf(client: PostgresClient): Promise<void> {
    return new Promise((resolve) => {
      for (const event of ['error', 'end'] as const) client.on(event, () => resolve());
      this.#closing.signal.addEventListener('abort', () => resolve());
      if (this.#closing.signal.aborted) resolve();
    });
  }
}

/** PostgreSQL takes payloads of less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;

function payloadOf(from: string, change: StoreChange): string {
  const payload = JSON.stringify({ from, change });
  if (Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES) return payload;
  return JSON.stringify({ from, change: ANY_CHANGE });
}

function readPayload(payload: string | undefined): { from: string; change: StoreChange } {
  try {
    const { from, change } = JSON.parse(payload ?? '');
    if (typeof from === 'string' && isChange(change)) return { from, change };
  } catch {
    // It is from another version.
  }
  return { from: '', change: ANY_CHANGE };
}

function isChange(value: unknown): value is StoreChange {
  const { tenants, revoked }: { tenants?: unknown; revoked?: unknown } = Object(value);
  return (tenants === 'all' || Array.isArray(tenants)) && Array.isArray(revoked);
}
