import type { AnswerRow } from '../model/answer-row.ts';
import type { AuditRow } from '../model/audit-row.ts';
import type { ConversationRow } from '../model/conversation-row.ts';
import type { DeliveryRow } from '../model/delivery-row.ts';
import type { EntryRow } from '../model/entry-row.ts';
import type { GrantRow } from '../model/grant-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { InputRow, InputState } from '../model/input-row.ts';
import type { MessageRow } from '../model/message-row.ts';
import type { NewOutboxRow, OutboxRow } from '../model/outbox-row.ts';
import type { GrantQuery, HoldQuery, Page, PageQuery, RunQuery } from '../model/page.ts';
import type { RunRow } from '../model/run-row.ts';
import type { HoldState } from '../model/states.ts';
import type { SecretRow } from '../model/secret-row.ts';
import type { TaskClaim, TaskKind, TaskQueues, TaskRow } from '../model/task-row.ts';
import type { TokenKind, TokenRow } from '../model/token-row.ts';
import type { ChangeListener } from './due-listeners.ts';

/**
 * Where everything about runs is kept: transactions over tables of rows.
 *
 * A store knows nothing of what the rows mean. What happens to runs and holds is written once, in
 * `transitions/`, each operation as one call of `write`. `describeStore` checks all that is said here.
 *
 * - `write` is atomic: all of it is there for everybody after it has returned, on disk, or nothing of it
 *   after it has thrown, unless it throws `outcome-unknown`. It may be called any number of times at once, in any number of processes.
 * - What was locked with `lock`, or found missing by an `insert` that succeeded, is nobody else's to
 *   change until the transaction ends, and `lock` gives the row as the last one left it. Other reads see
 *   what was committed, at least.
 * - The work given to `write` and `read` waits for nothing but the transaction, and changes nothing else: a
 *   store may roll it back and do it again from the start.
 * - The clock is the store's: one for all who share it.
 *
 * For PostgreSQL that is: `READ COMMITTED`, `SELECT … FOR UPDATE` in `lock`, `INSERT … ON CONFLICT DO
 * NOTHING` in `insert`, `FOR UPDATE SKIP LOCKED` in `claim`, `clock_timestamp()` for the clock, 64-bit
 * integers read as numbers, `synchronous_commit` on, an advisory lock around migrations, `NOTIFY` after
 * transactions that make tasks due, `pg_current_xact_id()` and a sequence with each event, of which only those
 * below `pg_snapshot_xmin(pg_current_snapshot())` are listed, and a repeated transaction after a deadlock. `KyselyTx` has the
 * statements, which are the same.
 */
export interface Store extends AsyncDisposable {
  /** Changes something, as one transaction. */
  write<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;

  /** Reads something, all of it as it was at one time. */
  read<Result>(work: (tx: ReadTx) => Promise<Result>): Promise<Result>;

  /**
   * Calls `listener` when a task has become due, events were added or a task was revoked, as far as the store
   * gets to know of it. It saves waiting and nothing depends on it. Gives the function that ends it.
   */
  onDue(listener: ChangeListener): () => void;

  /**
   * Has the ledger say that it knows nothing of before that time. For a database that was restored from a
   * backup: what ran after the backup was made is not in it. It never goes back.
   */
  forgetBefore(time: number): Promise<void>;

  /** Ends the use of the store. */
  close(): Promise<void>;
}

/** What can be read in a transaction. */
export interface ReadTx {
  /** Now, by the clock of the store: milliseconds since 1970. */
  now(): Promise<number>;
  /** From when on the ledger has forgotten nothing. */
  ledgerKnowsSince(): Promise<number>;
  /** When a process that delivers events has last noted that it is there; 0 if none ever has. */
  eventConsumerSeenAt(): Promise<number>;
  /** The latest time that `forgetBefore` was called with; 0 if it never was. */
  forgottenBefore(): Promise<number>;
  readonly runs: ReadRuns;
  readonly inputs: ReadInputs;
  readonly conversations: ReadTable<ConversationRow, IdKey>;
  readonly messages: ReadMessages;
  readonly holds: ReadHolds;
  readonly answers: ReadAnswers;
  readonly grants: ReadGrants;
  readonly tasks: ReadTable<TaskRow, TaskKey>;
  readonly outbox: ReadOutbox;
  readonly audit: ReadAudit;
  readonly entries: ReadTable<EntryRow, EntryKey>;
  readonly tokens: ReadTokens;
  readonly deliveries: ReadDeliveries;
  readonly secrets: ReadSecrets;
}

/** What can be done in a transaction. */
export interface Tx extends ReadTx {
  /** Notes that there is a process that delivers events: from now on they are kept for it. */
  noteEventConsumer(): Promise<void>;
  readonly runs: ReadRuns & Table<RunRow, IdKey>;
  readonly inputs: ReadInputs & Table<InputRow, InputKey>;
  readonly conversations: Table<ConversationRow, IdKey>;
  readonly messages: Messages;
  readonly holds: ReadHolds & Table<HoldRow, IdKey>;
  readonly answers: ReadAnswers & Table<AnswerRow, HoldAnswerKey>;
  readonly grants: ReadGrants & Table<GrantRow, IdKey>;
  readonly tasks: Tasks;
  readonly outbox: Outbox;
  readonly audit: Audit;
  readonly entries: Table<EntryRow, EntryKey>;
  readonly tokens: Tokens;
  readonly deliveries: ReadDeliveries & Table<DeliveryRow, DeliveryKey>;
  readonly secrets: ReadSecrets & Table<SecretRow, SecretKey>;
}

/** The key of what has an id. */
export type IdKey = readonly [tenant: string, id: string];
/** The key of an input. */
export type InputKey = readonly [tenant: string, runId: string, number: number];
/** The key of an answer. */
export type HoldAnswerKey = readonly [tenant: string, holdId: string, number: number];
/** The key of a task. */
export type TaskKey = readonly [tenant: string, kind: TaskKind, id: string];
/** The key of an entry of the ledger. */
export type EntryKey = readonly [tenant: string, key: string];
/** The key of a token: its hash. */
export type TokenKey = readonly [id: string];
/** The key of a delivery. */
export type DeliveryKey = readonly [tenant: string, eventId: string, receiver: string];

/** The key of a value that people must not see. */
export type SecretKey = readonly [tenant: string, conversationId: string, id: string];

/** Rows that can be read. */
export interface ReadTable<Row, Key extends readonly unknown[]> {
  /** The row, frozen; `undefined` if there is none. */
  get(...key: Key): Promise<Row | undefined>;
}

/** Rows that can be changed. */
export interface Table<Row, Key extends readonly unknown[]> extends ReadTable<Row, Key> {
  /** The row, which nobody else changes until the transaction ends. */
  lock(...key: Key): Promise<Row | undefined>;
  /** Adds a row; `false`, and nothing changes, if its key or something else that is unique is taken. */
  insert(row: Row): Promise<boolean>;
  /** Puts a row in place of the one with its key, which must be there. */
  put(row: Row): Promise<void>;
  /** Removes a row, if it is there. */
  remove(...key: Key): Promise<void>;
}

/** Runs: the conversation is unique among those that are live. */
export interface ReadRuns extends ReadTable<RunRow, IdKey> {
  /** The live run of a conversation. */
  liveIn(tenant: string, conversationId: string): Promise<RunRow | undefined>;
  /** The latest run of a conversation. */
  latestIn(tenant: string, conversationId: string): Promise<RunRow | undefined>;
  list(tenant: string, query: RunQuery): Promise<Page<RunRow>>;
  /** The runs with these ids, in any order. */
  withIds(tenant: string, ids: readonly string[]): Promise<readonly RunRow[]>;
  /**
   * Those of the conversations that have a run with steps that were written under other redaction rules
   * than these.
   */
  underOtherRules(
    tenant: string,
    conversationIds: readonly string[],
    redactionRules: string,
  ): Promise<readonly string[]>;
}

/** Inputs of runs: the idempotency key is unique within a tenant and requester. */
export interface ReadInputs extends ReadTable<InputRow, InputKey> {
  /** The input that a requester sent with this key. */
  byIdempotencyKey(
    tenant: string,
    requesterKey: string,
    idempotencyKey: string,
  ): Promise<InputRow | undefined>;
  /** The inputs of a run in these states, in the order of their numbers. */
  ofRun(tenant: string, runId: string, states: readonly InputState[]): Promise<readonly InputRow[]>;
}

/** Holds. */
export interface ReadHolds extends ReadTable<HoldRow, IdKey> {
  /** The holds of a run in these states, in the order in which they came to wait. */
  ofRun(tenant: string, runId: string, states: readonly HoldState[]): Promise<readonly HoldRow[]>;
  list(tenant: string, query: StoredHoldQuery): Promise<Page<HoldRow>>;
  /**
   * Conversations of all tenants with a hold that was written under other redaction rules than these, in
   * the order of their keys.
   */
  underOtherRules(
    redactionRules: string,
    page: { readonly after?: ConversationKey | undefined; readonly limit: number },
  ): Promise<readonly ConversationKey[]>;
}

/** The key of a conversation. */
export type ConversationKey = readonly [tenant: string, conversationId: string];

/** Selects holds. */
export interface StoredHoldQuery extends HoldQuery {
  /** Excludes holds whose search text was written under other redaction rules than these. */
  readonly redactionRules?: string | undefined;
}

/** Answers to holds. */
export interface ReadAnswers extends ReadTable<AnswerRow, HoldAnswerKey> {
  /** All answers to a hold, in the order of their numbers. */
  ofHold(tenant: string, holdId: string): Promise<readonly AnswerRow[]>;
}

/** Grants. */
export interface ReadGrants extends ReadTable<GrantRow, IdKey> {
  /** Returns the live grants for the tool whose scope contains the call, the oldest first. */
  liveFor(tenant: string, call: GrantedCall, now: number): Promise<readonly GrantRow[]>;
  /** `now` is what `live` in the query goes by. */
  list(tenant: string, query: GrantQuery, now: number): Promise<Page<GrantRow>>;
}

/** The facts about a call that select the grants in whose scope it is. */
export interface GrantedCall {
  readonly toolHash: string;
  readonly agent: string;
  readonly conversationId: string;
  /** The id of its requester in the spelling in which ids are compared; `undefined` if unknown. */
  readonly requesterKey: string | undefined;
}

/**
 * Events, in an order that never changes: an event that can be listed is followed only by events that could
 * not be listed before. A store that runs several transactions at a time withholds an event until all
 * transactions that began to write before it have ended.
 */
export interface ReadOutbox extends ReadTable<OutboxRow, IdKey> {
  list(tenant: string, query: PageQuery): Promise<Page<OutboxRow>>;
  /** The last one that can be listed. */
  latest(tenant: string): Promise<OutboxRow | undefined>;
  /** Whether there are events that cannot be listed yet. */
  isWithholding(tenant: string): Promise<boolean>;
}

/** Events, to be added to. */
export interface Outbox extends ReadOutbox, Omit<Table<OutboxRow, IdKey>, 'insert'> {
  /** Adds an event at the end; `false`, and nothing changes, if its key is taken. */
  insert(row: NewOutboxRow): Promise<boolean>;
}

/** Messages of conversations. */
export interface ReadMessages {
  /** The messages from a position on, in order. */
  from(tenant: string, conversationId: string, position: number): Promise<readonly MessageRow[]>;
  /** How many there are. */
  count(tenant: string, conversationId: string): Promise<number>;
}

/** Messages of conversations, to be added to. */
export interface Messages extends ReadMessages {
  /** Puts these rows, which are of the conversation, in place of all from a position on. */
  replaceFrom(
    tenant: string,
    conversationId: string,
    position: number,
    rows: readonly MessageRow[],
  ): Promise<void>;
}

/** Tasks: the one place where work is found. */
export interface Tasks extends Table<TaskRow, TaskKey> {
  /**
   * Takes one task that is due: of the first of these kinds that has one, the one that has waited longest in
   * the given queues. Its lease begins, its fence and its tries go up by one. Of any number who try at once,
   * each gets another one.
   */
  claim(
    kinds: readonly TaskKind[],
    lease: number,
    only?: TaskKey | undefined,
    queues?: TaskQueues | undefined,
  ): Promise<TaskClaim | undefined>;
  /** Removes a task, and notifies whoever has claimed it. */
  revoke(...key: TaskKey): Promise<void>;
}

/** Audits of runs. */
export interface ReadAudit {
  /** Entries after a number, in order. */
  ofRun(tenant: string, runId: string, after: number, limit: number): Promise<readonly AuditRow[]>;
}

/** Audits of runs, to be added to. There is no way to change them. */
export interface Audit extends ReadAudit {
  /** Adds an entry; throws if there is one with its number. */
  append(row: AuditRow): Promise<void>;
}

/** Tokens of people. */
export interface ReadTokens extends ReadTable<TokenRow, TokenKey> {
  /** Those of a kind about a person or a hold, the oldest first. */
  findAbout(tenant: string, kind: TokenKind, about: string): Promise<readonly TokenRow[]>;
  /** Those of a kind that a person can use, ended ones included, the oldest first. */
  findOf(tenant: string, kind: TokenKind, personKey: string): Promise<readonly TokenRow[]>;
}

/** Tokens of people, to be changed. */
export interface Tokens extends ReadTokens, Table<TokenRow, TokenKey> {
  /** Removes some that have expired before a time, so that they do not pile up. */
  removeExpired(before: number, most: number): Promise<void>;
}

/** Values that people must not see. */
export interface ReadSecrets extends ReadTable<SecretRow, SecretKey> {
  /** Those of all the conversations. */
  ofConversations(
    tenant: string,
    conversationIds: readonly string[],
  ): Promise<readonly SecretRow[]>;
}

/** What receivers of webhooks are told. */
export interface ReadDeliveries extends ReadTable<DeliveryRow, DeliveryKey> {
  /** Those of an event, by receiver. */
  ofEvent(tenant: string, eventId: string): Promise<readonly DeliveryRow[]>;
}
