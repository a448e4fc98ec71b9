import type { EndedRun, PendingParts, RunPart } from '../store/retention.ts';
import type { ReadTx, Store, Tx } from '../store/store.ts';
import { discardTask } from '../transitions/replay-task.ts';
import {
  BLOCKED_BY,
  type ErasureCause,
  eraseContent,
  eraseHistory,
  eraseHolds,
  lockConversation,
} from './erase-parts.ts';
import type { RetentionOptions } from './retention-options.ts';

/** The number of rows that retention deleted, or would delete. */
export interface RetentionReport {
  readonly messages: number;
  readonly holds: number;
  /** Runs that have only their audit. */
  readonly runs: number;
  /** Runs that were deleted with their audit. */
  readonly audits: number;
  readonly events: number;
  readonly deliveries: number;
  readonly deadLetters: number;
  readonly tokens: number;
}

/** Options of {@link applyRetention}. */
export interface RetentionPassOptions {
  /** Set to count the rows and delete nothing. */
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each batch, so that the job stays claimed. */
  readonly onBatch?: (() => Promise<void>) | undefined;
}

/**
 * The number of candidates that are read at a time. Each conversation is deleted in its own
 * transaction.
 */
const PAGE = 100;
/** The number of rows without a run that are deleted in one transaction. */
const BATCH = 500;

const CAUSE: ErasureCause = { reason: 'retention' };

type Counts = { -readonly [Kind in keyof RetentionReport]: number };

/** Deletes everything that is older than the policy permits and not pending. It may be interrupted at any time. */
export async function applyRetention(
  store: Store,
  policy: RetentionOptions,
  options: RetentionPassOptions = {},
): Promise<RetentionReport> {
  const pass = new Pass(store, options, await store.read((tx) => tx.now()));
  const { runs, messages = runs, holds = runs } = policy;
  await pass.eraseRuns('history', messages);
  await pass.eraseRuns('holds', holds);
  await pass.eraseRuns('content', runs);
  // First, because an event with a dead letter is kept.
  await pass.discardDeadLetters(policy.deadLetters);
  await pass.removeEvents(policy.events);
  await pass.removeAged('deliveries', policy.deliveries);
  await pass.removeAged('tokens', policy.tokens);
  await pass.eraseRuns('audit', policy.audit);
  return Object.freeze({ ...pass.counts });
}

class Pass {
  readonly counts: Counts = {
    messages: 0,
    holds: 0,
    runs: 0,
    audits: 0,
    events: 0,
    deliveries: 0,
    deadLetters: 0,
    tokens: 0,
  };
  readonly #store: Store;
  readonly #options: RetentionPassOptions;
  readonly #now: number;

  constructor(store: Store, options: RetentionPassOptions, now: number) {
    this.#store = store;
    this.#options = options;
    this.#now = now;
  }

  /** Deletes a part of all runs that ended before an age. */
  async eraseRuns(part: RunPart, age: number | undefined): Promise<void> {
    if (age === undefined) return;
    const before = this.#now - age;
    let after: EndedRun | undefined;
    do {
      const page = { before, after, limit: PAGE };
      const found = await this.#store.read((tx) => tx.retention.endedRuns(part, page));
      for (const run of unitsOf(part, found)) {
        this.#options.signal?.throwIfAborted();
        await this.#eraseRun(part, run, before);
      }
      await this.#options.onBatch?.();
      after = found.length < PAGE ? undefined : found.at(-1);
    } while (after !== undefined);
  }

  async discardDeadLetters(age: number | undefined): Promise<void> {
    if (age === undefined) return;
    const before = this.#now - age;
    for (let count = BATCH; count === BATCH; ) {
      const found = await this.#store.read((tx) =>
        tx.tasks.givenUpBefore(before, ['outbox', 'webhook'], BATCH),
      );
      this.counts.deadLetters += found.length;
      // A dry run counts only one batch, because the next read would find the same candidates.
      if (this.#options.dryRun) return;
      for (const task of found) {
        this.#options.signal?.throwIfAborted();
        await discardTask(this.#store, task);
      }
      await this.#options.onBatch?.();
      count = found.length;
    }
  }

  async removeEvents(age: number | undefined): Promise<void> {
    if (age === undefined) return;
    const before = this.#now - age;
    let after: number | undefined;
    do {
      this.#options.signal?.throwIfAborted();
      const page = { before, after, limit: BATCH };
      const found = await this.#store.read((tx) => tx.retention.eventsBefore(page));
      const [first, last] = [found[0], found.at(-1)];
      if (first === undefined || last === undefined) return;
      const range = { first, last, before };
      this.counts.events += this.#options.dryRun
        ? await this.#store.read((tx) => tx.retention.countEvents(range))
        : await this.#store.write((tx) => tx.retention.removeEvents(range));
      await this.#options.onBatch?.();
      after = found.length < BATCH ? undefined : last;
    } while (after !== undefined);
  }

  async removeAged(kind: 'deliveries' | 'tokens', age: number | undefined): Promise<void> {
    if (age === undefined) return;
    const before = this.#now - age;
    if (this.#options.dryRun) {
      this.counts[kind] += await this.#store.read((tx) => tx.retention.countOlder(kind, before));
      return;
    }
    for (let removed = BATCH; removed === BATCH; ) {
      this.#options.signal?.throwIfAborted();
      removed = await this.#store.write((tx) => tx.retention.removeOlder(kind, before, BATCH));
      this.counts[kind] += removed;
      await this.#options.onBatch?.();
    }
  }

  async #eraseRun(part: RunPart, run: EndedRun, before: number): Promise<void> {
    if (this.#options.dryRun) {
      return this.#add(part, await this.#store.read((tx) => countedIn(tx, part, run, before)));
    }
    this.#add(
      part,
      await this.#store.write(async (tx) => {
        // No run of the conversation starts between the check and the end of the transaction.
        if (part !== 'audit') await lockConversation(tx, run);
        await tx.runs.lock(run.tenant, run.id);
        const count = await countedIn(tx, part, run, before);
        if (count !== undefined) await erasePart(tx, part, run);
        return count;
      }),
    );
  }

  #add(part: RunPart, count: number | undefined): void {
    if (count !== undefined) this.counts[COUNTED_AS[part]] += count;
  }
}

const COUNTED_AS: Readonly<Record<RunPart, keyof RetentionReport>> = {
  history: 'messages',
  holds: 'holds',
  content: 'runs',
  audit: 'audits',
};

/** History and content belong to a conversation, so one run represents all runs of it. */
function unitsOf(part: RunPart, runs: readonly EndedRun[]): readonly EndedRun[] {
  if (part === 'holds' || part === 'audit') return runs;
  const units = new Map(runs.map((run) => [JSON.stringify([run.tenant, run.conversationId]), run]));
  return [...units.values()];
}

/** Returns the number of rows to delete; `undefined` if something is pending or too young. */
async function countedIn(
  tx: ReadTx,
  part: RunPart,
  run: EndedRun,
  before: number,
): Promise<number | undefined> {
  const { tenant, id: runId, conversationId } = run;
  const isOneRun = part === 'holds' || part === 'audit';
  const scope = isOneRun ? { tenant, runId } : { tenant, conversationId };
  const pending = await tx.retention.pendingIn(scope, before);
  const reasons: readonly (keyof PendingParts)[] = ['hasRecentRun', ...BLOCKED_BY[part]];
  if (reasons.some((reason) => pending[reason])) return undefined;
  if (part === 'audit') return 1;
  const { runs, messages, holds } = await tx.retention.countIn(scope);
  return { history: messages, holds, content: runs }[part];
}

async function erasePart(tx: Tx, part: RunPart, run: EndedRun): Promise<void> {
  if (part === 'history') await eraseHistory(tx, run, CAUSE);
  else if (part === 'holds') await eraseHolds(tx, run, CAUSE);
  else if (part === 'content') await eraseContent(tx, run, CAUSE);
  else await tx.retention.removeRun(run.tenant, run.id);
}
