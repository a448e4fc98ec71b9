import type { ConversationRow } from '../../model/conversation-row.ts';
import type { EntryRow } from '../../model/entry-row.ts';
import { checkOptions } from '../../model/check-keys.ts';
import { type ChangeListener, DueListeners } from '../due-listeners.ts';
import { Mutex } from '../mutex.ts';
import type { EntryKey, IdKey, ReadTx, Store, Tx } from '../store.ts';
import { ChangeRecorder } from '../store-change.ts';
import { CONVERSATIONS, ENTRIES } from '../tables/specs.ts';
import { MemoryAnswers, MemoryGrants } from './memory-approvals.ts';
import { MemoryInputs } from './memory-inputs.ts';
import { MemoryDeliveries, MemorySecrets, MemoryTokens } from './memory-people.ts';
import { MemoryTable } from './memory-table.ts';
import {
  MemoryAudit,
  MemoryHolds,
  MemoryMessages,
  MemoryOutbox,
  MemoryRuns,
  MemoryTasks,
} from './memory-tables.ts';

/** How a store in memory keeps time. */
export interface MemoryStoreOptions {
  /** The clock, in milliseconds since 1970; that of the machine unless said otherwise. */
  readonly now?: (() => number) | undefined;
}

/** A store in the memory of this process: for tests, and to try things out. */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  checkOptions<MemoryStoreOptions>('`memoryStore`', options, { now: true });
  return new MemoryStore(options.now ?? Date.now);
}

class MemoryStore implements Store {
  readonly #tx: MemoryTx;
  readonly #mutex = new Mutex();
  readonly #due = new DueListeners();

  constructor(now: () => number) {
    this.#tx = new MemoryTx(now);
  }

  async write<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const result = await this.#mutex.run(async () => {
      try {
        const changes = this.#tx.beginChanges();
        const done = await work(this.#tx);
        this.#tx.commit();
        return { done, change: changes.change };
      } catch (error) {
        this.#tx.rollBack();
        throw error;
      }
    });
    if (result.change !== undefined) this.#due.notify(result.change);
    return result.done;
  }

  read<Result>(work: (tx: ReadTx) => Promise<Result>): Promise<Result> {
    return this.#mutex.run(() => work(this.#tx));
  }

  onDue(listener: ChangeListener): () => void {
    return this.#due.add(listener);
  }

  async forgetBefore(time: number): Promise<void> {
    this.#tx.forgetBefore(time);
  }

  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}
}

class MemoryTx implements Tx {
  readonly runs = new MemoryRuns();
  readonly inputs = new MemoryInputs();
  readonly conversations = new MemoryTable<ConversationRow, IdKey>(CONVERSATIONS);
  readonly messages = new MemoryMessages();
  readonly holds = new MemoryHolds();
  readonly answers = new MemoryAnswers();
  readonly grants = new MemoryGrants();
  readonly tasks: MemoryTasks;
  readonly outbox = new MemoryOutbox();
  readonly audit = new MemoryAudit();
  readonly entries = new MemoryTable<EntryRow, EntryKey>(ENTRIES);
  readonly tokens = new MemoryTokens();
  readonly deliveries = new MemoryDeliveries();
  readonly secrets = new MemorySecrets();
  readonly #now: () => number;
  #retainedSince: number;
  #forgottenBefore = 0;
  #eventConsumerSeenAt = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.tasks = new MemoryTasks(now);
    // There is nothing from before; the clocks of those who use it may be a little behind.
    this.#retainedSince = now() - 30_000;
  }

  async now(): Promise<number> {
    return this.#now();
  }

  async ledgerKnowsSince(): Promise<number> {
    return this.#retainedSince;
  }

  async eventConsumerSeenAt(): Promise<number> {
    return this.#eventConsumerSeenAt;
  }

  async noteEventConsumer(): Promise<void> {
    this.#eventConsumerSeenAt = this.#now();
  }

  async forgottenBefore(): Promise<number> {
    return this.#forgottenBefore;
  }

  forgetBefore(time: number): void {
    this.#forgottenBefore = Math.max(time, this.#forgottenBefore);
    this.#retainedSince = Math.max(time, this.#retainedSince);
  }

  /** Begins to collect what the next transaction changes. */
  beginChanges(): ChangeRecorder {
    const changes = new ChangeRecorder();
    this.tasks.changes = changes;
    this.outbox.changes = changes;
    return changes;
  }

  commit(): void {
    for (const table of this.#tables()) table.commit();
  }

  rollBack(): void {
    for (const table of this.#tables()) table.rollBack();
  }

  #tables(): readonly { commit(): void; rollBack(): void }[] {
    const { runs, messages, holds, answers, grants, tasks, outbox, audit, entries } = this;
    return [
      runs,
      messages,
      holds,
      answers,
      grants,
      tasks,
      outbox,
      audit,
      entries,
      this.inputs,
      this.conversations,
      this.tokens,
      this.deliveries,
      this.secrets,
    ];
  }
}
