import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { ReportError } from '../../errors/report-error.ts';
import { newId } from '../../model/new-id.ts';
import {
  ANY_CHANGE,
  type ChangeListeners,
  mergeChanges,
  type StoreChange,
} from '../store-change.ts';
import { connectTo, type PostgresClient, type PostgresPool } from './postgres-pool.ts';

const CHANNEL = 'holdpoint_desk';
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
/** The time between two notifications, in milliseconds. Changes of that time are merged. */
const NOTIFY_PAUSE_MS = 20;

/**
 * Sends changes to other processes and receives theirs, with `NOTIFY` and `LISTEN`. A lost notification only
 * delays a process until it polls.
 */
export class ChangeChannel {
  readonly #pool: PostgresPool;
  readonly #listeners: ChangeListeners;
  readonly #closing = new AbortController();
  /** Aborts when the last notification is to be sent without a pause. */
  readonly #flushing = new AbortController();
  /** Marks the notifications of this process, which has handled its changes already. */
  readonly #name = newId();
  #listening: Promise<void> | undefined;
  #sending: Promise<void> | undefined;
  #pending: StoreChange | undefined;
  readonly #report: ReportError;
  /** True from the first error to the next success, so that an outage is reported once. */
  #isFailing = false;

  constructor(pool: PostgresPool, listeners: ChangeListeners, report: ReportError) {
    this.#pool = pool;
    this.#listeners = listeners;
    this.#report = report;
  }

  /** Starts to listen on a separate connection, until the channel is closed. */
  listen(): void {
    this.#listening ??= this.#listen();
  }

  /**
   * Notifies other processes soon; changes of a short time are merged. The notification is a separate transaction,
   * because PostgreSQL commits transactions that notify one after the other.
   */
  notify(change: StoreChange): void {
    this.#pending = mergeChanges(this.#pending, change);
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  async close(): Promise<void> {
    this.#flushing.abort();
    await this.#sending;
    this.#closing.abort();
    await this.#listening;
  }

  async #send(): Promise<void> {
    while (this.#pending !== undefined) {
      // The transactions of one statement notify one after the other.
      await turn();
      const change = this.#takePending();
      if (change !== undefined) await this.#sendChange(change);
      await sleep(NOTIFY_PAUSE_MS, undefined, { signal: this.#flushing.signal }).catch(() => {});
    }
  }

  async #sendChange(change: StoreChange): Promise<void> {
    try {
      const client = await connectTo(this.#pool);
      await client
        .query({
          name: 'holdpoint_notify',
          // A lost notification only delays a process, so it need not be on disk.
          text: `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`,
          values: [CHANNEL, payloadOf(this.#name, change)],
        })
        .finally(() => client.release());
      this.#isFailing = false;
    } catch (error) {
      this.#reportOnce(error);
    }
  }

  #takePending(): StoreChange | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    return pending;
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closing;
    for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      const hasListened = await this.#receive().catch((error: unknown) => {
        this.#reportOnce(error);
        return false;
      });
      if (hasListened) pause = FIRST_PAUSE_MS;
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
    }
  }

  /** Listens until the connection is lost. */
  async #receive(): Promise<true> {
    const client = await connectTo(this.#pool);
    try {
      const ended = this.#endOf(client);
      client.on('notification', ({ payload }: { readonly payload?: string | undefined }) => {
        const { from, change } = readPayload(payload);
        if (from !== this.#name) this.#listeners.notify(change);
      });
      await client.query({ text: `listen ${CHANNEL}` });
      this.#isFailing = false;
      // Notifications may have been lost before.
      this.#listeners.notify(ANY_CHANGE);
      await ended;
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

/** PostgreSQL accepts payloads below 8,000 bytes. */
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
    // Another version sent it.
  }
  return { from: '', change: ANY_CHANGE };
}

function isChange(value: unknown): value is StoreChange {
  const { tenants, revoked }: { tenants?: unknown; revoked?: unknown } = Object(value);
  return (tenants === 'all' || Array.isArray(tenants)) && Array.isArray(revoked);
}
