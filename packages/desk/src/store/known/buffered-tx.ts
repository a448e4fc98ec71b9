import type { AuditRow } from '../../model/audit-row.ts';
import type { ConversationRow } from '../../model/conversation-row.ts';
import type { DecisionRow } from '../../model/decision-row.ts';
import type { EntryRow } from '../../model/entry-row.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import type { InputRow } from '../../model/input-row.ts';
import type { MessageRow } from '../../model/message-row.ts';
import type { NewOutboxRow } from '../../model/outbox-row.ts';
import type { RunRow } from '../../model/run-row.ts';
import type {
  ClaimOptions,
  TaskClaim,
  TaskKind,
  TaskQueues,
  TaskRow,
} from '../../model/task-row.ts';
import type { DeskStats } from '../../telemetry/desk-telemetry.ts';
import {
  AUDIT,
  CONVERSATIONS,
  DECISIONS,
  ENTRIES,
  HOLDS,
  INPUTS,
  MESSAGES,
  RUNS,
  TASKS,
  type TableSpec,
} from '../sql/database.ts';
import type {
  DecisionKey,
  EntryKey,
  IdKey,
  InputKey,
  Outbox,
  ReadEntries,
  ReadGrants,
  Table,
  TaskKey,
  Tx,
} from '../store.ts';
import { ChangeRecorder } from '../store-change.ts';
import { type KnownRow, keyText, type RunKnowledge } from './run-knowledge.ts';
import { UnknownRowsError, WriteBuffer } from './write-buffer.ts';

/** A request for a task. */
export interface ClaimRequest {
  readonly kinds: readonly TaskKind[];
  readonly lease: number;
  readonly only?: TaskKey | undefined;
  readonly queues?: TaskQueues | undefined;
  readonly options?: ClaimOptions | undefined;
}

/** The facts that a transaction relies on, in addition to rows. */
export interface CommitConditions {
  /** The time that the transaction used. */
  readonly now: number;
  /** The time of the last restored backup, if the transaction read it. */
  readonly restoredFromBackupAt?: number | undefined;
}

/** Dependencies of a {@link BufferedTx}. */
export interface BufferedTxDeps {
  /** The time of the database. */
  readonly now: number;
  /** Reads grants; without it, a transaction that needs them throws. */
  readonly grants?: Pick<ReadGrants, 'liveFor'> | undefined;
  /** Reads entries of the ledger that are not known; without it, the commit verifies that they are free. */
  readonly entries?: ReadEntries | undefined;
  /** Claims a task, if the transaction does nothing else. */
  readonly claim?: ((request: ClaimRequest) => Promise<TaskClaim | undefined>) | undefined;
}

/**
 * A transaction that executes on the rows of a run that this process knows, and collects its writes. The store then
 * makes them, if the rows have not changed.
 *
 * It has the operations that the transitions of a run need. Everything else throws an `UnknownRowsError`, and the
 * transaction is executed on the rows of the database.
 */
export class BufferedTx implements Tx {
  readonly buffer: WriteBuffer = new WriteBuffer();
  readonly changes: ChangeRecorder = new ChangeRecorder();
  readonly #knowledge: RunKnowledge;
  readonly #now: number;
  readonly #deps: BufferedTxDeps;
  #messageCount: number;
  #usesRestoredAt = false;
  /** The tables that the transaction has used. */
  #runs: Tx['runs'] | undefined;
  #tasks: Tx['tasks'] | undefined;
  #inputs: Tx['inputs'] | undefined;
  #conversations: Tx['conversations'] | undefined;
  #messages: Tx['messages'] | undefined;
  #holds: Tx['holds'] | undefined;
  #decisions: Tx['decisions'] | undefined;
  #grants: Tx['grants'] | undefined;
  #outbox: Tx['outbox'] | undefined;
  #audit: Tx['audit'] | undefined;
  #entries: Tx['entries'] | undefined;

  constructor(knowledge: RunKnowledge, deps: BufferedTxDeps) {
    this.#knowledge = knowledge;
    this.#now = deps.now;
    this.#deps = deps;
    this.#messageCount = knowledge.messageCount;
  }

  /** The number of messages of the conversation after the commit. */
  get messageCount(): number {
    return this.#messageCount;
  }

  /** The facts that the commit must verify, in addition to rows. */
  get conditions(): CommitConditions {
    const { restoredFromBackupAt } = this.#knowledge;
    return { now: this.#now, ...(this.#usesRestoredAt && { restoredFromBackupAt }) };
  }

  async now(): Promise<number> {
    return this.#now;
  }

  async restoredFromBackupAt(): Promise<number> {
    this.#usesRestoredAt = true;
    return this.#knowledge.restoredFromBackupAt;
  }

  ledgerKnowsSince(): Promise<number> {
    return unknownRows();
  }

  recordEventConsumer(): Promise<void> {
    return unknownRows();
  }

  stats(): Promise<DeskStats> {
    return unknownRows();
  }

  get runs(): Tx['runs'] {
    return (this.#runs ??= this.#newRuns());
  }

  #newRuns(): Tx['runs'] {
    return {
      ...this.#table<RunRow, IdKey>(RUNS, knownIn(RUNS, [this.#knowledge.run])),
      ...NO_LISTS,
    };
  }

  get tasks(): Tx['tasks'] {
    return (this.#tasks ??= this.#newTasks());
  }

  #newTasks(): Tx['tasks'] {
    const table = this.#table<TaskRow, TaskKey>(TASKS, knownIn(TASKS, [this.#knowledge.task]));
    return {
      ...table,
      insert: (row) => {
        this.changes.addTask(row.due, this.#now);
        return table.insert(row);
      },
      put: (row) => {
        this.changes.addTask(row.due, this.#now);
        return table.put(row);
      },
      revoke: (...key) => {
        this.changes.addRevoked(key);
        return table.remove(...key);
      },
      claim: async (kinds, lease, only, queues, options) => {
        if (this.#deps.claim === undefined) throw new UnknownRowsError();
        return this.#deps.claim({ kinds, lease, only, queues, options });
      },
      givenUp: unknownRows,
      givenUpBefore: unknownRows,
      overdue: unknownRows,
    };
  }

  get inputs(): Tx['inputs'] {
    return (this.#inputs ??= this.#newInputs());
  }

  #newInputs(): Tx['inputs'] {
    return {
      ...this.#table<InputRow, InputKey>(INPUTS, knownIn(INPUTS, this.#knowledge.inputs)),
      byIdempotencyKey: unknownRows,
      ofRun: async (_tenant, _runId, states) =>
        this.#current(INPUTS, this.#knowledge.inputs).filter(({ state }) => states.includes(state)),
    };
  }

  get conversations(): Tx['conversations'] {
    return (this.#conversations ??= this.#newConversations());
  }

  #newConversations(): Tx['conversations'] {
    return this.#table<ConversationRow, IdKey>(CONVERSATIONS, knownIn(CONVERSATIONS, []));
  }

  get messages(): Tx['messages'] {
    return (this.#messages ??= this.#newMessages());
  }

  #newMessages(): Tx['messages'] {
    return {
      from: async (_tenant, _conversationId, position) => {
        if (this.#knowledge.messages === undefined) throw new UnknownRowsError();
        return this.#knowledge.messages.slice(position);
      },
      count: async () => this.#messageCount,
      replaceFrom: async (tenant, conversationId, position, rows) => {
        const count = position + rows.length;
        // Stored messages would have to be deleted.
        if (position > this.#messageCount || count < this.#knowledge.messageCount) {
          throw new UnknownRowsError();
        }
        for (let at = position; at < this.#messageCount; at++) {
          this.buffer.dropInsert(MESSAGES, [tenant, conversationId, at]);
        }
        for (const row of rows) this.buffer.insert<MessageRow>(MESSAGES, row);
        this.#messageCount = count;
      },
    };
  }

  get holds(): Tx['holds'] {
    return (this.#holds ??= this.#newHolds());
  }

  #newHolds(): Tx['holds'] {
    return {
      ...this.#table<HoldRow, IdKey>(HOLDS, knownIn(HOLDS, this.#knowledge.holds)),
      ...NO_LISTS,
      ofRun: async (_tenant, _runId, states) => {
        if (states.includes('consumed')) throw new UnknownRowsError();
        return this.#current(HOLDS, this.#knowledge.holds).filter(({ state }) =>
          states.includes(state),
        );
      },
    };
  }

  get decisions(): Tx['decisions'] {
    return (this.#decisions ??= this.#newDecisions());
  }

  #newDecisions(): Tx['decisions'] {
    return {
      ...this.#table<DecisionRow, DecisionKey>(DECISIONS, knownIn(DECISIONS, [])),
      ofHold: async (_tenant, holdId) => {
        const all = [...this.#knowledge.decisions, ...this.buffer.inserted(DECISIONS)];
        return all.filter((row) => row.holdId === holdId);
      },
    };
  }

  get grants(): Tx['grants'] {
    return (this.#grants ??= this.#newGrants());
  }

  #newGrants(): Tx['grants'] {
    const { grants } = this.#deps;
    const liveFor: ReadGrants['liveFor'] = async (...args) =>
      grants === undefined ? unknownRows() : grants.liveFor(...args);
    return { ...NO_TABLE, ...NO_LISTS, liveFor };
  }

  get outbox(): Tx['outbox'] {
    return (this.#outbox ??= this.#newOutbox());
  }

  #newOutbox(): Tx['outbox'] {
    const insert: Outbox['insert'] = async (row: NewOutboxRow) => {
      this.changes.addEvent(row.tenant);
      this.buffer.events.push(row);
      return true;
    };
    return { ...NO_TABLE, ...NO_LISTS, insert };
  }

  get audit(): Tx['audit'] {
    return (this.#audit ??= this.#newAudit());
  }

  #newAudit(): Tx['audit'] {
    return {
      ofRun: async (_tenant, _runId, after, limit) => {
        const { audit, auditAfter } = this.#knowledge;
        if (after < auditAfter) throw new UnknownRowsError();
        const all = [...audit, ...this.buffer.inserted(AUDIT)];
        return all.filter(({ number }) => number > after).slice(0, limit);
      },
      append: async (row) => this.buffer.insert<AuditRow>(AUDIT, row),
    };
  }

  get entries(): Tx['entries'] {
    return (this.#entries ??= this.#newEntries());
  }

  #newEntries(): Tx['entries'] {
    const find = knownIn(ENTRIES, this.#knowledge.entries);
    const table = this.#table<EntryRow, EntryKey>(ENTRIES, find);
    return {
      ...table,
      lock: async (...key) => {
        const text = JSON.stringify(key);
        const isKnown = find(text) !== undefined || this.buffer.find(ENTRIES, text) !== undefined;
        if (isKnown) return table.lock(...key);
        const { entries } = this.#deps;
        if (entries !== undefined) return entries.get(...key);
        this.buffer.assumeFree(ENTRIES, text);
        return undefined;
      },
      ofRun: async () => this.#current(ENTRIES, this.#knowledge.entries),
    };
  }

  get tokens(): Tx['tokens'] {
    return {
      ...NO_TABLE,
      findAbout: unknownRows,
      ofKind: unknownRows,
      findOf: unknownRows,
      removeExpired: unknownRows,
    };
  }

  get deliveries(): Tx['deliveries'] {
    return { ...NO_TABLE, ofEvent: unknownRows };
  }

  get comments(): Tx['comments'] {
    return { ...NO_TABLE, ofHold: unknownRows };
  }

  get delegations(): Tx['delegations'] {
    return { ...NO_TABLE, list: unknownRows, liveTo: unknownRows, removeOf: unknownRows };
  }

  get secrets(): Tx['secrets'] {
    return { ...NO_TABLE, ofConversations: unknownRows };
  }

  get retention(): Tx['retention'] {
    throw new UnknownRowsError();
  }

  /** Returns the operations on single rows of a table. */
  #table<Row extends object, Key extends readonly (string | number)[]>(
    spec: TableSpec<Row>,
    find: (key: string) => KnownRow<Row> | undefined,
  ): Table<Row, Key> {
    const read = (key: Key): Row | undefined => {
      const text = JSON.stringify(key);
      const buffered = this.buffer.find(spec, text);
      if (buffered !== undefined) return buffered ?? undefined;
      const known = find(text);
      if (known === undefined) throw new UnknownRowsError();
      this.buffer.guard(spec, known);
      return known.row;
    };
    return {
      get: async (...key) => read(key),
      lock: async (...key) => read(key),
      insert: async (row) => {
        this.buffer.insert(spec, row);
        return true;
      },
      put: async (row) => this.buffer.put(spec, row, find(keyText(spec, row))),
      remove: async (...key) => this.buffer.remove(spec, key.map(String)),
    };
  }

  /** Returns the rows of a list as the transaction has changed them. */
  #current<Row extends object>(
    spec: TableSpec<Row>,
    known: readonly KnownRow<Row>[],
  ): readonly Row[] {
    if (this.#knowledge.run !== undefined) this.buffer.guard(RUNS, this.#knowledge.run);
    const stored = known.flatMap(({ row }) => {
      const buffered = this.buffer.find(spec, keyText(spec, row));
      return buffered === null ? [] : [buffered ?? row];
    });
    return [...stored, ...this.buffer.inserted(spec)];
  }
}

async function unknownRows(): Promise<never> {
  throw new UnknownRowsError();
}

const NO_TABLE = {
  get: unknownRows,
  lock: unknownRows,
  insert: unknownRows,
  put: unknownRows,
  remove: unknownRows,
};

const NO_LISTS = {
  list: unknownRows,
  liveFor: unknownRows,
  liveIn: unknownRows,
  latestIn: unknownRows,
  latest: unknownRows,
  withIds: unknownRows,
  isWithholding: unknownRows,
  underOtherRules: unknownRows,
};

/** Returns a function that finds a known row by its key. */
function knownIn<Row extends object>(
  spec: TableSpec<Row>,
  rows: readonly (KnownRow<Row> | undefined)[],
): (key: string) => KnownRow<Row> | undefined {
  return (key) => rows.find((known) => known !== undefined && keyText(spec, known.row) === key);
}
