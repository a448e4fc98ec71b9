import { setTimeout as sleep } from 'node:timers/promises';
import type { ReportError } from '../../errors/report-error.ts';
import { newId } from '../../model/new-id.ts';
import type { DueListeners } from '../due-listeners.ts';
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
  #telling: Promise<void> | undefined;
  #isMore = false;
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
   * Tells the others, soon: many words at once become one. It is a transaction of its own, since those that
   * notify are committed one after the other, each with its sync to disk.
   */
  tell(): void {
    this.#isMore = true;
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined;
    });
  }

  async close(): Promise<void> {
    await this.#telling;
    this.#closing.abort();
    await this.#listening;
  }

  async #tell(): Promise<void> {
    while (this.#isMore) {
      this.#isMore = false;
      try {
        const client = await connectTo(this.#pool);
        await client
          .query({ text: 'select pg_notify($1, $2)', values: [CHANNEL, this.#name] })
          .finally(() => client.release());
        this.#isFailing = false;
      } catch (error) {
        // They find it at their next look.
        this.#reportOnce(error);
      }
    }
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
        if (payload !== this.#name) this.#due.tell();
      });
      await client.query({ text: `listen ${CHANNEL}` });
      this.#isFailing = false;
      // There may have been something while nobody listened.
      this.#due.tell();
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
