import type { Kysely } from 'kysely';
import { personKey } from '../../approvers/same-person.ts';
import type { AuditRow } from '../../model/audit-row.ts';
import type { CommentRow } from '../../model/comment-row.ts';
import type { ConversationRow } from '../../model/conversation-row.ts';
import type { DecisionRow } from '../../model/decision-row.ts';
import type { DelegationRow } from '../../model/delegation-row.ts';
import type { DeliveryRow } from '../../model/delivery-row.ts';
import type { EntryRow } from '../../model/entry-row.ts';
import type { GrantRow } from '../../model/grant-row.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import type { InputRow } from '../../model/input-row.ts';
import type { MessageRow } from '../../model/message-row.ts';
import type { OutboxRow } from '../../model/outbox-row.ts';
import type { RunRow } from '../../model/run-row.ts';
import type { SecretRow } from '../../model/secret-row.ts';
import type { TaskRow } from '../../model/task-row.ts';
import { searchWords } from '../../model/search-words.ts';
import type { TokenRow } from '../../model/token-row.ts';
import type { ColumnKind, Columns, ColumnValue } from './columns.ts';

/**
 * The tables of the desk. A column has the name of the row's member in snake case: `runId` is in `run_id`.
 * `migrations.ts` creates them, with keys, constraints and indexes.
 */
export interface Database {
  /** One row for each time that the desk records about itself. */
  readonly desk_meta: { readonly name: MetaName; readonly value: number };
  readonly desk_runs: Columns<RunRow>;
  /** Prompts and messages that the desk accepted for a run. */
  readonly desk_inputs: Columns<InputRow>;
  readonly desk_conversations: Columns<ConversationRow>;
  /** The history of conversations. */
  readonly desk_messages: Columns<MessageRow>;
  readonly desk_holds: Columns<HoldRow> & {
    readonly requester_key: string | null;
    /** The words of the search text, separated by spaces. */
    readonly search_words: string;
  };
  /** The roles and people that may decide an open hold; `everyone` if no requirement names any. */
  readonly desk_hold_approvers: {
    readonly tenant: string;
    readonly hold_id: string;
    readonly kind: 'role' | 'person' | 'everyone';
    readonly name: string;
    /** The order of the hold in lists, so that the index returns the oldest holds of an approver first. */
    readonly created_at: number;
    readonly run_id: string;
    readonly call_index: number;
  };
  readonly desk_decisions: Columns<DecisionRow> & {
    readonly person_key: string;
    readonly delegator_key: string | null;
  };
  readonly desk_grants: Columns<GrantRow>;
  /** The queue of work. */
  readonly desk_tasks: Columns<TaskRow>;
  /** Events, in the order of `transaction_id` and `sequence`. */
  readonly desk_outbox: Columns<OutboxRow>;
  /** A person is in `person` if the entry contains a commitment, and in `by` otherwise. */
  readonly desk_audit: Columns<AuditRow> & {
    readonly person: string | null;
    readonly person_key: string | null;
  };
  /** The ledger: claims and outcomes of tool calls. */
  readonly desk_entries: Columns<EntryRow>;
  /** Sessions and links, by the hash of their token. */
  readonly desk_tokens: Columns<TokenRow>;
  /** Events to be sent to the receivers of webhooks. */
  readonly desk_deliveries: Columns<DeliveryRow>;
  readonly desk_comments: Columns<CommentRow> & { readonly person_key: string };
  readonly desk_delegations: Columns<DelegationRow> & {
    readonly delegator_key: string;
    readonly delegate_key: string;
  };
  /** Redacted values. */
  readonly desk_secrets: Columns<SecretRow>;
}

/** The times that the desk records about itself. */
export type MetaName =
  | 'ledger_knows_since'
  | 'restored_from_backup_at'
  | 'event_consumer_seen_at'
  | 'retention_due_at';

/** A connection to the tables. */
export type Db = Kysely<Database>;

/** The columns of a table at run time. */
export interface TableSpec<Row> {
  readonly name: keyof Database;
  /** The members of the primary key. */
  readonly key: readonly (keyof Row & string)[];
  readonly columns: { readonly [Field in keyof Required<Row>]: ColumnKind };
  /** Returns the columns that are derived from a row, for queries and indexes; they replace the others. */
  readonly derived?: ((row: Row) => Readonly<Record<string, ColumnValue>>) | undefined;
  /** Returns the row for the values of its columns, if some of them are derived. */
  readonly decoded?: ((row: Row) => Row) | undefined;
  /** The expressions that are read for members, if these are not their columns. */
  readonly selected?:
    | { readonly [Field in keyof Row & string]?: (column: (name: string) => string) => string }
    | undefined;
}

export const RUNS: TableSpec<RunRow> = {
  name: 'desk_runs',
  key: ['tenant', 'id'],
  columns: {
    tenant: 'plain',
    id: 'plain',
    agent: 'plain',
    conversationId: 'plain',
    state: 'plain',
    requester: 'json',
    otherRequesters: 'json',
    request: 'json',
    prompt: 'json',
    firstPosition: 'plain',
    openHolds: 'plain',
    parks: 'plain',
    usage: 'json',
    output: 'json',
    error: 'json',
    redactionRules: 'plain',
    idempotencyKey: 'plain',
    startHash: 'plain',
    createdAt: 'plain',
    updatedAt: 'plain',
    historyErasedAt: 'plain',
    holdsErasedAt: 'plain',
    erasedAt: 'plain',
    auditCount: 'plain',
    auditHash: 'plain',
  },
};

export const INPUTS: TableSpec<InputRow> = {
  name: 'desk_inputs',
  key: ['tenant', 'runId', 'number'],
  columns: {
    tenant: 'plain',
    runId: 'plain',
    number: 'plain',
    state: 'plain',
    body: 'document',
    requesterKey: 'plain',
    idempotencyKey: 'plain',
    hash: 'plain',
    acceptedAt: 'plain',
  },
};

export const CONVERSATIONS: TableSpec<ConversationRow> = {
  name: 'desk_conversations',
  key: ['tenant', 'id'],
  columns: { tenant: 'plain', id: 'plain', requesters: 'json' },
};

export const MESSAGES: TableSpec<MessageRow> = {
  name: 'desk_messages',
  key: ['tenant', 'conversationId', 'position'],
  columns: {
    tenant: 'plain',
    conversationId: 'plain',
    position: 'plain',
    runId: 'plain',
    version: 'plain',
    body: 'document',
  },
};

export const HOLDS: TableSpec<HoldRow> = {
  name: 'desk_holds',
  key: ['tenant', 'id'],
  columns: {
    tenant: 'plain',
    id: 'plain',
    runId: 'plain',
    conversationId: 'plain',
    agent: 'plain',
    park: 'plain',
    callIndex: 'plain',
    kind: 'plain',
    question: 'json',
    key: 'json',
    path: 'json',
    toolName: 'plain',
    title: 'json',
    annotations: 'json',
    args: 'json',
    validatedArgs: 'json',
    metadata: 'json',
    preview: 'json',
    digest: 'plain',
    callDigest: 'plain',
    revision: 'plain',
    proposal: 'json',
    votes: 'json',
    approvers: 'json',
    requirements: 'json',
    escalatedAfter: 'plain',
    remindedAfter: 'plain',
    requester: 'json',
    otherRequesters: 'json',
    schema: 'json',
    toolHash: 'plain',
    decidedBy: 'json',
    inDoubt: 'json',
    drifted: 'boolean',
    deniedBefore: 'boolean',
    state: 'plain',
    outcome: 'plain',
    searchText: 'plain',
    redactionRules: 'plain',
    createdAt: 'plain',
    expiresAt: 'plain',
    settledAt: 'plain',
    isStarted: 'boolean',
    auditFrom: 'plain',
  },
  // See `questionSchema`.
  decoded: (row) => (row.question === undefined ? row : { ...row, kind: 'question' }),
  derived: ({ kind, requester, searchText }) => ({
    kind: kind === 'question' ? 'approval' : kind,
    requester_key: requester ? personKey(requester) : null,
    search_words: searchWords(searchText).join(' '),
  }),
};

export const DECISIONS: TableSpec<DecisionRow> = {
  name: 'desk_decisions',
  key: ['tenant', 'holdId', 'number'],
  columns: {
    tenant: 'plain',
    holdId: 'plain',
    number: 'plain',
    by: 'json',
    decision: 'json',
    digest: 'plain',
    countsFor: 'plain',
    roles: 'json',
    grant: 'json',
    onBehalfOf: 'json',
    at: 'plain',
  },
  derived: ({ by, onBehalfOf }) => ({
    person_key: personKey(by),
    delegator_key: onBehalfOf ? personKey(onBehalfOf) : null,
  }),
};

export const SECRETS: TableSpec<SecretRow> = {
  name: 'desk_secrets',
  key: ['tenant', 'conversationId', 'id'],
  columns: { tenant: 'plain', conversationId: 'plain', id: 'plain', value: 'json' },
};

export const GRANTS: TableSpec<GrantRow> = {
  name: 'desk_grants',
  key: ['tenant', 'id'],
  columns: {
    tenant: 'plain',
    id: 'plain',
    scope: 'plain',
    toolName: 'plain',
    toolHash: 'plain',
    match: 'json',
    agent: 'plain',
    path: 'json',
    conversationId: 'plain',
    requester: 'json',
    requesterKey: 'plain',
    by: 'json',
    holdId: 'plain',
    runId: 'plain',
    expiresAt: 'plain',
    uses: 'plain',
    used: 'plain',
    createdAt: 'plain',
    revokedAt: 'plain',
    revokedBy: 'json',
    auditEntry: 'plain',
  },
};

export const TASKS: TableSpec<TaskRow> = {
  name: 'desk_tasks',
  key: ['tenant', 'kind', 'id'],
  columns: {
    tenant: 'plain',
    kind: 'plain',
    id: 'plain',
    queue: 'plain',
    due: 'plain',
    fence: 'plain',
    attempts: 'plain',
    claimedBy: 'plain',
    claimedAt: 'plain',
    problem: 'json',
    givenUpAt: 'plain',
  },
};

export const OUTBOX: TableSpec<OutboxRow> = {
  name: 'desk_outbox',
  key: ['tenant', 'id'],
  columns: {
    tenant: 'plain',
    id: 'plain',
    runId: 'plain',
    kind: 'plain',
    data: 'json',
    at: 'plain',
    deliveredAt: 'plain',
    transactionId: 'plain',
    sequence: 'plain',
  },
};

export const AUDIT: TableSpec<AuditRow> = {
  name: 'desk_audit',
  key: ['tenant', 'runId', 'number'],
  columns: {
    tenant: 'plain',
    runId: 'plain',
    number: 'plain',
    at: 'plain',
    kind: 'plain',
    by: 'json',
    salt: 'plain',
    data: 'json',
    previous: 'plain',
    hash: 'plain',
  },
  derived: ({ by, salt }) => ({
    person_key: by ? personKey(by) : null,
    ...(salt !== undefined && { by: null, person: JSON.stringify(by) }),
  }),
  selected: { by: (column) => `coalesce(${column('by')}, ${column('person')})` },
};

export const ENTRIES: TableSpec<EntryRow> = {
  name: 'desk_entries',
  key: ['tenant', 'key'],
  columns: {
    tenant: 'plain',
    key: 'plain',
    state: 'plain',
    attempt: 'plain',
    runId: 'plain',
    until: 'plain',
    since: 'plain',
    reason: 'json',
    outcome: 'json',
    digest: 'plain',
    changedAt: 'plain',
  },
};

export const TOKENS: TableSpec<TokenRow> = {
  name: 'desk_tokens',
  key: ['id'],
  columns: {
    id: 'plain',
    kind: 'plain',
    tenant: 'plain',
    about: 'plain',
    personKey: 'plain',
    data: 'json',
    createdAt: 'plain',
    expiresAt: 'plain',
    seenAt: 'plain',
    end: 'plain',
    endedAt: 'plain',
  },
};

export const DELIVERIES: TableSpec<DeliveryRow> = {
  name: 'desk_deliveries',
  key: ['tenant', 'eventId', 'receiver'],
  columns: {
    tenant: 'plain',
    eventId: 'plain',
    receiver: 'plain',
    host: 'plain',
    state: 'plain',
    attempts: 'plain',
    problem: 'json',
    createdAt: 'plain',
    changedAt: 'plain',
  },
};
