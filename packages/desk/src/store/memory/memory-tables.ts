import type { AuditRow } from '../../model/audit-row.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import type { MessageRow } from '../../model/message-row.ts';
import type { NewOutboxRow, OutboxRow } from '../../model/outbox-row.ts';
import {
  compareCursors as compare,
  type Cursor,
  cursorOf,
  EVENT_ORDER,
  HOLD_ORDER,
  limitOf,
  type Page,
  type PageQuery,
  pageOf,
  readCursor,
  readIdPrefix,
  RUN_ORDER,
  type RunQuery,
} from '../../model/page.ts';
import type { RunRow } from '../../model/run-row.ts';
import { type HoldState, LIVE_STATES } from '../../model/states.ts';
import type { TaskClaim, TaskKind, TaskQueues, TaskRow } from '../../model/task-row.ts';
import type {
  Audit,
  ConversationKey,
  IdKey,
  Messages,
  Outbox,
  ReadHolds,
  ReadRuns,
  StoredHoldQuery,
  TaskKey,
  Tasks,
} from '../store.ts';
import { ChangeRecorder } from '../store-change.ts';
import { AUDIT, HOLDS, MESSAGES, OUTBOX, RUNS, TASKS } from '../tables/specs.ts';
import { MemoryTable } from './memory-table.ts';

/** Runs in memory. */
export class MemoryRuns extends MemoryTable<RunRow, IdKey> implements ReadRuns {
  constructor() {
    super(RUNS, [liveConversationOf]);
  }

  async liveIn(tenant: string, conversationId: string): Promise<RunRow | undefined> {
    return this.#of(tenant).find((run) => run.conversationId === conversationId && isLive(run));
  }

  async latestIn(tenant: string, conversationId: string): Promise<RunRow | undefined> {
    const runs = this.#of(tenant).filter((run) => run.conversationId === conversationId);
    return runs.toSorted((a, b) => compare(runCursor(a), runCursor(b))).at(-1);
  }

  async list(tenant: string, query: RunQuery): Promise<Page<RunRow>> {
    const { states, agent, conversationId } = query;
    const limit = limitOf(query);
    const cursor = readCursor(query, RUN_ORDER);
    const idPrefix = readIdPrefix(query) ?? '';
    const found = this.#of(tenant).filter(
      (run) =>
        (states === undefined || states.includes(run.state)) &&
        (agent === undefined || run.agent === agent) &&
        (conversationId === undefined || run.conversationId === conversationId) &&
        run.id.startsWith(idPrefix) &&
        (cursor === undefined || compare(runCursor(run), cursor) < 0),
    );
    const sorted = found.toSorted((a, b) => compare(runCursor(b), runCursor(a)));
    return pageOf(sorted.slice(0, limit + 1), limit, RUN_ORDER);
  }

  async withIds(tenant: string, ids: readonly string[]): Promise<readonly RunRow[]> {
    return this.#of(tenant).filter(({ id }) => ids.includes(id));
  }

  async underOtherRules(
    tenant: string,
    conversationIds: readonly string[],
    redactionRules: string,
  ): Promise<readonly string[]> {
    const found = this.#of(tenant).filter(
      (run) =>
        conversationIds.includes(run.conversationId) &&
        run.redactionRules !== undefined &&
        run.redactionRules !== redactionRules,
    );
    return [...new Set(found.map(({ conversationId }) => conversationId))];
  }

  #of(tenant: string): RunRow[] {
    return [...this.rows.values()].filter((run) => run.tenant === tenant);
  }
}

/** Holds in memory. */
export class MemoryHolds extends MemoryTable<HoldRow, IdKey> implements ReadHolds {
  constructor() {
    super(HOLDS);
  }

  async ofRun(
    tenant: string,
    runId: string,
    states: readonly HoldState[],
  ): Promise<readonly HoldRow[]> {
    return this.#of(tenant)
      .filter((hold) => hold.runId === runId && states.includes(hold.state))
      .toSorted((a, b) => a.park - b.park || a.place - b.place);
  }

  async list(tenant: string, query: StoredHoldQuery): Promise<Page<HoldRow>> {
    const { states, runId, conversationId, text, redactionRules } = query;
    const limit = limitOf(query);
    const cursor = readCursor(query, HOLD_ORDER);
    const idPrefix = readIdPrefix(query) ?? '';
    const found = this.#of(tenant).filter(
      (hold) =>
        (states === undefined || states.includes(hold.state)) &&
        (runId === undefined || hold.runId === runId) &&
        (conversationId === undefined || hold.conversationId === conversationId) &&
        (text === undefined || hold.searchText.includes(text.toLowerCase())) &&
        hold.id.startsWith(idPrefix) &&
        (redactionRules === undefined || hold.redactionRules === redactionRules) &&
        (cursor === undefined || compare(holdCursor(hold), cursor) > 0),
    );
    const sorted = found.toSorted((a, b) => compare(holdCursor(a), holdCursor(b)));
    return pageOf(sorted.slice(0, limit + 1), limit, HOLD_ORDER);
  }

  async underOtherRules(
    redactionRules: string,
    { after, limit }: { readonly after?: ConversationKey | undefined; readonly limit: number },
  ): Promise<readonly ConversationKey[]> {
    const keys = new Map<string, ConversationKey>();
    for (const hold of this.rows.values()) {
      if (hold.redactionRules === redactionRules) continue;
      const key: ConversationKey = [hold.tenant, hold.conversationId];
      if (after === undefined || compare(key, after) > 0) keys.set(JSON.stringify(key), key);
    }
    return [...keys.values()].toSorted(compare).slice(0, limit);
  }

  #of(tenant: string): HoldRow[] {
    return [...this.rows.values()].filter((hold) => hold.tenant === tenant);
  }
}

/** Events in memory. */
export class MemoryOutbox extends MemoryTable<OutboxRow, IdKey> implements Outbox {
  /** Where changes of the current transaction are recorded. */
  changes: ChangeRecorder = new ChangeRecorder();
  #lastSequence = 0;

  constructor() {
    super(OUTBOX);
  }

  override insert(row: NewOutboxRow): Promise<boolean> {
    this.changes.addEvent(row.tenant);
    this.#lastSequence += 1;
    return super.insert({ ...row, transactionId: 0, sequence: this.#lastSequence });
  }

  async list(tenant: string, query: PageQuery): Promise<Page<OutboxRow>> {
    const limit = limitOf(query);
    const cursor = readCursor(query, EVENT_ORDER);
    const found = this.#of(tenant).filter(
      (event) => cursor === undefined || compare(eventCursor(event), cursor) > 0,
    );
    return pageOf(found.slice(0, limit + 1), limit, EVENT_ORDER);
  }

  async latest(tenant: string): Promise<OutboxRow | undefined> {
    return this.#of(tenant).at(-1);
  }

  async isWithholding(): Promise<boolean> {
    return false;
  }

  #of(tenant: string): OutboxRow[] {
    return [...this.rows.values()]
      .filter((event) => event.tenant === tenant)
      .toSorted((a, b) => compare(eventCursor(a), eventCursor(b)));
  }
}

/** Messages in memory. */
export class MemoryMessages
  extends MemoryTable<MessageRow, readonly [string, string, number]>
  implements Messages
{
  constructor() {
    super(MESSAGES);
  }

  async from(
    tenant: string,
    conversationId: string,
    position: number,
  ): Promise<readonly MessageRow[]> {
    return [...this.rows.values()]
      .filter(
        (row) =>
          row.tenant === tenant &&
          row.conversationId === conversationId &&
          row.position >= position,
      )
      .toSorted((a, b) => a.position - b.position);
  }

  async count(tenant: string, conversationId: string): Promise<number> {
    return (await this.from(tenant, conversationId, 0)).length;
  }

  async replaceFrom(
    tenant: string,
    conversationId: string,
    position: number,
    rows: readonly MessageRow[],
  ): Promise<void> {
    for (const row of await this.from(tenant, conversationId, position)) {
      await this.remove(tenant, conversationId, row.position);
    }
    for (const row of rows) await this.insert(row);
  }
}

/** Tasks in memory. */
export class MemoryTasks extends MemoryTable<TaskRow, TaskKey> implements Tasks {
  /** Where changes of the current transaction are recorded. */
  changes: ChangeRecorder = new ChangeRecorder();
  readonly #now: () => number;

  constructor(now: () => number) {
    super(TASKS);
    this.#now = now;
  }

  override insert(row: TaskRow): Promise<boolean> {
    this.changes.addTask(row.due, this.#now());
    return super.insert(row);
  }

  override put(row: TaskRow): Promise<void> {
    this.changes.addTask(row.due, this.#now());
    return super.put(row);
  }

  revoke(...key: TaskKey): Promise<void> {
    this.changes.addRevoked(key);
    return this.remove(...key);
  }

  async claim(
    kinds: readonly TaskKind[],
    lease: number,
    only?: TaskKey | undefined,
    queues: TaskQueues = {},
  ): Promise<TaskClaim | undefined> {
    const now = this.#now();
    const candidates = only === undefined ? [...this.rows.values()] : [await this.get(...only)];
    const [first] = candidates
      .filter((task) => task !== undefined)
      .filter(({ kind, due }) => kinds.includes(kind) && due !== undefined && due <= now)
      .filter(({ kind, queue = '' }) => queues[kind]?.includes(queue) ?? true)
      .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || dueOf(a) - dueOf(b));
    if (first === undefined) return undefined;
    const { tenant, kind, id } = first;
    const taken = { fence: first.fence + 1, tries: first.tries + 1 };
    await super.put({ ...first, ...taken, due: now + lease });
    return Object.freeze({ tenant, kind, id, ...taken });
  }
}

/** Audits in memory. */
export class MemoryAudit
  extends MemoryTable<AuditRow, readonly [string, string, number]>
  implements Audit
{
  constructor() {
    super(AUDIT);
  }

  async ofRun(
    tenant: string,
    runId: string,
    after: number,
    limit: number,
  ): Promise<readonly AuditRow[]> {
    return [...this.rows.values()]
      .filter((row) => row.tenant === tenant && row.runId === runId && row.number > after)
      .toSorted((a, b) => a.number - b.number)
      .slice(0, limit);
  }

  async append(row: AuditRow): Promise<void> {
    if (await this.insert(row)) return;
    throw new Error(`The audit of run '${row.runId}' has an entry ${row.number} already.`);
  }
}

function dueOf({ due = Number.POSITIVE_INFINITY }: TaskRow): number {
  return due;
}

const runCursor = (run: RunRow): Cursor => cursorOf(run, RUN_ORDER);
const eventCursor = (event: OutboxRow): Cursor => cursorOf(event, EVENT_ORDER);
const holdCursor = (hold: HoldRow): Cursor => cursorOf(hold, HOLD_ORDER);

function liveConversationOf(run: RunRow): string | undefined {
  return isLive(run) ? JSON.stringify([run.tenant, run.conversationId]) : undefined;
}

function isLive({ state }: RunRow): boolean {
  return LIVE_STATES.includes(state);
}
