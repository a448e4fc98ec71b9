import type { DecisionRow } from '../model/decision-row.ts';
import type { AuditRow } from '../model/audit-row.ts';
import type { CommentRow } from '../model/comment-row.ts';
import type { ConversationRow } from '../model/conversation-row.ts';
import type { DelegationRow } from '../model/delegation-row.ts';
import type { DeliveryRow } from '../model/delivery-row.ts';
import type { EntryRow } from '../model/entry-row.ts';
import type { GrantRow } from '../model/grant-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { InputRow, InputState } from '../model/input-row.ts';
import type { MessageRow } from '../model/message-row.ts';
import type { NewOutboxRow, OutboxRow } from '../model/outbox-row.ts';
import type {
  DelegationQuery,
  GrantQuery,
  HoldQuery,
  Page,
  PageQuery,
  RunQuery,
} from '../model/page.ts';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import type { HoldState } from '../model/states.ts';
import type { SecretRow } from '../model/secret-row.ts';
import type { ClaimOptions, TaskClaim, TaskKind, TaskQueues, TaskRow } from '../model/task-row.ts';
import type { TokenKind, TokenRow } from '../model/token-row.ts';
import type { DeskStats } from '../telemetry/desk-telemetry.ts';
import type { ReadRetention, Retention } from './retention.ts';
import type { ChangeListener } from './store-change.ts';

/**
 * Storage of the desk: transactions over tables of rows.
 *
 * A store does not know the meaning of rows. The operations on runs and holds are in `transitions/`, each one
 * call of `write`. `describeStore` tests this contract.
 *
 * - `write` is atomic and durable. After it returned, other processes see all changes. If it throws, none
 *   was made, unless the error is `outcome-unknown`. Any number of processes may call it at once.
 * - No other transaction changes a row that this one locked or inserted. `lock` returns the committed row.
 *   Other reads return committed rows, or those of this transaction.
 * - `write` and `read` may repeat the callback after a conflict. It must have no other effects, and must wait
 *   for nothing but the transaction.
 * - All processes use the clock of the store.
 */
export interface Store extends AsyncDisposable {
  /** Executes the callback in a transaction. */
  write<Result>(work: (tx: Tx) => Promise<Result>, options?: TxOptions): Promise<Result>;

  /** Executes the callback in a transaction that only reads, all of it from one state of the database. */
  read<Result>(work: (tx: ReadTx) => Promise<Result>, options?: TxOptions): Promise<Result>;

  /**
   * Calls the listener after changes, until the returned function is called. A store may miss
   * changes of other processes, so callers must also poll.
   */
  onDue(listener: ChangeListener): () => void;

  /**
   * Records the time from which the ledger is complete. Call it after the database was restored
   * from a backup, because the backup lacks later executions. An earlier time has no effect.
   */
  markRestoredFromBackup(time: number): Promise<void>;

  close(): Promise<void>;
}

/** Options of a transaction. */
export interface TxOptions {
  /**
   * The run that the transaction is about, or `'tasks'` if it only claims a task. A store may execute the callback on
   * rows of the run that it has read before, if it verifies at the commit that they have not changed since.
   */
  readonly about?: RunReference | 'tasks' | undefined;
}

/** Names a run, by its id or by one of its holds. */
export type RunReference =
  | { readonly tenant: string; readonly runId: string; readonly isNew?: boolean | undefined }
  | { readonly tenant: string; readonly holdId: string };

/** The tables of a transaction that only reads. */
export interface ReadTx {
  /** Reads the clock of the store, in milliseconds since 1970. */
  now(): Promise<number>;
  /** Counts due tasks, open holds, stuck runs and dead letters of all tenants, for metrics. */
  stats(): Promise<DeskStats>;
  /** The time since which the ledger is complete. */
  ledgerKnowsSince(): Promise<number>;
  /** The latest time that was passed to `markRestoredFromBackup`; 0 if there is none. */
  restoredFromBackupAt(): Promise<number>;
  readonly runs: ReadRuns;
  readonly inputs: ReadInputs;
  readonly conversations: ReadTable<ConversationRow, IdKey>;
  readonly messages: ReadMessages;
  readonly holds: ReadHolds;
  readonly decisions: ReadDecisions;
  readonly grants: ReadGrants;
  readonly tasks: ReadTasks;
  readonly outbox: ReadOutbox;
  readonly audit: ReadAudit;
  readonly entries: ReadEntries;
  readonly tokens: ReadTokens;
  readonly deliveries: ReadDeliveries;
  readonly delegations: ReadDelegations;
  readonly comments: ReadComments;
  readonly secrets: ReadSecrets;
  readonly retention: ReadRetention;
}

/** The tables of a transaction that writes. */
export interface Tx extends ReadTx {
  /** Records that a process delivers events, so tasks for events are stored from now on. */
  recordEventConsumer(): Promise<void>;
  readonly runs: ReadRuns & Table<RunRow, IdKey>;
  readonly inputs: ReadInputs & Table<InputRow, InputKey>;
  readonly conversations: Table<ConversationRow, IdKey>;
  readonly messages: Messages;
  readonly holds: ReadHolds & Table<HoldRow, IdKey>;
  readonly decisions: ReadDecisions & Table<DecisionRow, DecisionKey>;
  readonly grants: ReadGrants & Table<GrantRow, IdKey>;
  readonly tasks: Tasks;
  readonly outbox: Outbox;
  readonly audit: Audit;
  readonly entries: ReadEntries & Table<EntryRow, EntryKey>;
  readonly tokens: Tokens;
  readonly deliveries: ReadDeliveries & Table<DeliveryRow, DeliveryKey>;
  readonly delegations: Delegations;
  readonly comments: ReadComments & Table<CommentRow, CommentKey>;
  readonly secrets: ReadSecrets & Table<SecretRow, SecretKey>;
  readonly retention: Retention;
}

export type IdKey = readonly [tenant: string, id: string];
export type InputKey = readonly [tenant: string, runId: string, number: number];
export type DecisionKey = readonly [tenant: string, holdId: string, number: number];
export type TaskKey = readonly [tenant: string, kind: TaskKind, id: string];
export type CommentKey = readonly [tenant: string, holdId: string, number: number];
export type EntryKey = readonly [tenant: string, key: string];
/** The hash of a token. */
export type TokenKey = readonly [id: string];
export type DeliveryKey = readonly [tenant: string, eventId: string, receiver: string];
export type SecretKey = readonly [tenant: string, conversationId: string, id: string];

/** A table that can be read. */
export interface ReadTable<Row, Key extends readonly unknown[]> {
  /** Returns the frozen row; `undefined` if there is none. */
  get(...key: Key): Promise<Row | undefined>;
}

/** A table that can be changed. */
export interface Table<Row, Key extends readonly unknown[]> extends ReadTable<Row, Key> {
  /** Returns the row, and locks it until the transaction ends. */
  lock(...key: Key): Promise<Row | undefined>;
  /** Inserts a row; returns `false` and changes nothing if its key or another unique value exists. */
  insert(row: Row): Promise<boolean>;
  /** Replaces the row with the same key; throws if there is none. */
  put(row: Row): Promise<void>;
  /** Removes the row, if there is one. */
  remove(...key: Key): Promise<void>;
}

/** Runs. A conversation has at most one live run. */
export interface ReadRuns extends ReadTable<RunRow, IdKey> {
  liveIn(tenant: string, conversationId: string): Promise<RunRow | undefined>;
  latestIn(tenant: string, conversationId: string): Promise<RunRow | undefined>;
  list(tenant: string, query: RunQuery): Promise<Page<RunRow>>;
  /** Returns the runs with these ids, in any order. */
  withIds(tenant: string, ids: readonly string[]): Promise<readonly RunRow[]>;
  /** Returns the conversations that have a run with steps written under other redaction rules. */
  underOtherRules(
    tenant: string,
    conversationIds: readonly string[],
    redactionRules: string,
  ): Promise<readonly string[]>;
}

/** Inputs of runs. The idempotency key is unique within a tenant and requester. */
export interface ReadInputs extends ReadTable<InputRow, InputKey> {
  byIdempotencyKey(
    tenant: string,
    requesterKey: string,
    idempotencyKey: string,
  ): Promise<InputRow | undefined>;
  /** Returns the inputs of a run in these states, in the order of their numbers. */
  ofRun(tenant: string, runId: string, states: readonly InputState[]): Promise<readonly InputRow[]>;
}

/** Holds. */
export interface ReadHolds extends ReadTable<HoldRow, IdKey> {
  /** Returns the holds of a run in these states, in the order of their calls. */
  ofRun(tenant: string, runId: string, states: readonly HoldState[]): Promise<readonly HoldRow[]>;
  list(tenant: string, query: StoredHoldQuery): Promise<Page<HoldRow>>;
  /** Returns conversations of all tenants with a hold written under other redaction rules, by their keys. */
  underOtherRules(
    redactionRules: string,
    page: { readonly after?: ConversationKey | undefined; readonly limit: number },
  ): Promise<readonly ConversationKey[]>;
}

export type ConversationKey = readonly [tenant: string, conversationId: string];

/** Selects holds. */
export interface StoredHoldQuery extends HoldQuery {
  /** Excludes holds whose search text was written under other redaction rules than these. */
  readonly redactionRules?: string | undefined;
}

/** Decisions on holds. */
export interface ReadDecisions extends ReadTable<DecisionRow, DecisionKey> {
  /** Returns the decisions on a hold, in the order of their numbers. */
  ofHold(tenant: string, holdId: string): Promise<readonly DecisionRow[]>;
}

/** Grants. */
export interface ReadGrants extends ReadTable<GrantRow, IdKey> {
  /** Returns the live grants for the tool whose scope contains the call, the oldest first. */
  liveFor(tenant: string, call: GrantedCall, now: number): Promise<readonly GrantRow[]>;
  /** Lists grants; `now` is the time for which `live` in the query is evaluated. */
  list(tenant: string, query: GrantQuery, now: number): Promise<Page<GrantRow>>;
}

/** Comments on holds. */
export interface ReadComments extends ReadTable<CommentRow, CommentKey> {
  /** Returns the comments on a hold, in the order of their numbers. */
  ofHold(tenant: string, holdId: string): Promise<readonly CommentRow[]>;
}

/** Delegations. */
export interface ReadDelegations extends ReadTable<DelegationRow, IdKey> {
  /** Returns the delegations to a person that are valid at a time, the oldest first. */
  liveTo(tenant: string, delegate: Person, now: number): Promise<readonly DelegationRow[]>;
  /** Lists delegations; `now` is the time for which `live` in the query is evaluated. */
  list(tenant: string, query: DelegationQuery, now: number): Promise<Page<DelegationRow>>;
}

/** Delegations that can be changed. */
export interface Delegations extends ReadDelegations, Table<DelegationRow, IdKey> {
  /** Removes all delegations from or to a person, by their normalised id. */
  removeOf(tenant: string, personKey: string): Promise<void>;
}

/** The facts about a call that decide which grants apply to it. */
export interface GrantedCall {
  readonly toolHash: string;
  readonly agent: string;
  readonly conversationId: string;
  /** The normalised id of its requester; `undefined` if unknown. */
  readonly requesterKey: string | undefined;
}

/**
 * Events, in an order that never changes: an event that can be listed is followed only by events that could
 * not be listed before. A store that runs several transactions at a time withholds an event until all
 * transactions that began to write before it have ended.
 */
export interface ReadOutbox extends ReadTable<OutboxRow, IdKey> {
  list(tenant: string, query: PageQuery): Promise<Page<OutboxRow>>;
  /** Returns the last event that can be listed. */
  latest(tenant: string): Promise<OutboxRow | undefined>;
  /** Returns whether some events cannot be listed yet. */
  isWithholding(tenant: string): Promise<boolean>;
}

/** Entries of the ledger. */
export interface ReadEntries extends ReadTable<EntryRow, EntryKey> {
  /** Returns the entries that were written for a run, in any order. */
  ofRun(tenant: string, runId: string): Promise<readonly EntryRow[]>;
}

/** Events, with new ones appended. */
export interface Outbox extends ReadOutbox, Omit<Table<OutboxRow, IdKey>, 'insert'> {
  /**
   * Appends an event; returns `false` and changes nothing if its key exists. If a process delivers events, a task is
   * enqueued with it.
   */
  insert(row: NewOutboxRow): Promise<boolean>;
}

/** Messages of conversations. */
export interface ReadMessages {
  /** Returns the messages from a position on, in order. */
  from(tenant: string, conversationId: string, position: number): Promise<readonly MessageRow[]>;
  count(tenant: string, conversationId: string): Promise<number>;
}

/** Messages of conversations that can be replaced. */
export interface Messages extends ReadMessages {
  /** Replaces all messages from a position on with these rows. */
  replaceFrom(
    tenant: string,
    conversationId: string,
    position: number,
    rows: readonly MessageRow[],
  ): Promise<void>;
}

/** Tasks that can be read. */
export interface ReadTasks extends ReadTable<TaskRow, TaskKey> {
  /** Lists the dead letters of a tenant, the oldest first. */
  givenUp(tenant: string, query: PageQuery): Promise<Page<TaskRow>>;
  /** Returns the dead letters of all tenants from before a time, of these kinds. */
  givenUpBefore(
    before: number,
    kinds: readonly TaskKind[],
    limit: number,
  ): Promise<readonly TaskRow[]>;
  /** Returns tasks of all tenants that were due before a time, in these queues: the ones due for longest first. */
  overdue(
    before: number,
    kinds: readonly TaskKind[],
    queues: TaskQueues,
    limit: number,
  ): Promise<readonly TaskRow[]>;
}

/** The queue of work. */
export interface Tasks extends ReadTasks, Table<TaskRow, TaskKey> {
  /**
   * Claims one due task in the given queues: of the first kind that has any, the one that has been due for
   * the longest time. Its lease starts, its fence and its attempts increase by one, and a run that was ready is
   * running. Concurrent claims return different tasks.
   */
  claim(
    kinds: readonly TaskKind[],
    lease: number,
    only?: TaskKey | undefined,
    queues?: TaskQueues | undefined,
    options?: ClaimOptions | undefined,
  ): Promise<TaskClaim | undefined>;
  /** Removes a task, and notifies the worker that has claimed it. */
  revoke(...key: TaskKey): Promise<void>;
}

/** Audits of runs. */
export interface ReadAudit {
  /** Returns the entries after a number, in order. */
  ofRun(tenant: string, runId: string, after: number, limit: number): Promise<readonly AuditRow[]>;
}

/** Audits of runs. Entries can be appended, not changed. */
export interface Audit extends ReadAudit {
  /** Appends an entry; throws if its number exists. */
  append(row: AuditRow): Promise<void>;
}

/** Sessions and links. */
export interface ReadTokens extends ReadTable<TokenRow, TokenKey> {
  /** Returns the tokens of a kind about a person or a hold, the oldest first. */
  findAbout(tenant: string, kind: TokenKind, about: string): Promise<readonly TokenRow[]>;
  /** Returns the tokens of a kind, the oldest first. */
  ofKind(tenant: string, kind: TokenKind): Promise<readonly TokenRow[]>;
  /** Returns the tokens of a kind that were issued to a person, the oldest first. */
  findOf(tenant: string, kind: TokenKind, personKey: string): Promise<readonly TokenRow[]>;
}

/** Sessions and links that can be changed. */
export interface Tokens extends ReadTokens, Table<TokenRow, TokenKey> {
  /** Removes up to `max` tokens that expired before a time. */
  removeExpired(before: number, max: number): Promise<void>;
}

/** Redacted values. */
export interface ReadSecrets extends ReadTable<SecretRow, SecretKey> {
  ofConversations(
    tenant: string,
    conversationIds: readonly string[],
  ): Promise<readonly SecretRow[]>;
}

/** Deliveries of events to receivers of webhooks. */
export interface ReadDeliveries extends ReadTable<DeliveryRow, DeliveryKey> {
  /** Returns the deliveries of an event, by receiver. */
  ofEvent(tenant: string, eventId: string): Promise<readonly DeliveryRow[]>;
}
