import type { AnswerRow } from '../../model/answer-row.ts';
import type { AuditRow } from '../../model/audit-row.ts';
import type { ConversationRow } from '../../model/conversation-row.ts';
import type { EntryRow } from '../../model/entry-row.ts';
import type { GrantRow } from '../../model/grant-row.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import type { InputRow } from '../../model/input-row.ts';
import type { MessageRow } from '../../model/message-row.ts';
import type { OutboxRow } from '../../model/outbox-row.ts';
import type { RunRow } from '../../model/run-row.ts';
import type { SecretRow } from '../../model/secret-row.ts';
import type { TaskRow } from '../../model/task-row.ts';
import type { TableSpec } from './table-spec.ts';

/** Runs. */
export const RUNS: TableSpec<RunRow> = {
  name: 'desk_runs',
  key: ['tenant', 'id'],
  columns: {
    tenant: 'text',
    id: 'text',
    agent: 'text',
    conversationId: 'text',
    state: 'text',
    requester: 'json',
    alsoAsked: 'json',
    firstPosition: 'number',
    openHolds: 'number',
    parks: 'number',
    usage: 'json',
    output: 'json',
    error: 'json',
    redactionRules: 'text',
    idempotencyKey: 'text',
    startHash: 'text',
    createdAt: 'number',
    updatedAt: 'number',
    auditCount: 'number',
    auditHash: 'text',
  },
};

/** Prompts that were accepted for runs. */
export const INPUTS: TableSpec<InputRow> = {
  name: 'desk_inputs',
  key: ['tenant', 'runId', 'number'],
  columns: {
    tenant: 'text',
    runId: 'text',
    number: 'number',
    state: 'text',
    body: 'text',
    requesterKey: 'text',
    idempotencyKey: 'text',
    hash: 'text',
    acceptedAt: 'number',
  },
};

/** Conversations. */
export const CONVERSATIONS: TableSpec<ConversationRow> = {
  name: 'desk_conversations',
  key: ['tenant', 'id'],
  columns: { tenant: 'text', id: 'text', requesters: 'json' },
};

/** Messages of conversations. */
export const MESSAGES: TableSpec<MessageRow> = {
  name: 'desk_messages',
  key: ['tenant', 'conversationId', 'position'],
  columns: {
    tenant: 'text',
    conversationId: 'text',
    position: 'number',
    runId: 'text',
    version: 'number',
    body: 'text',
  },
};

/** Holds. The key and the name of the tool come from models, and are JSON so that every database can hold them. */
export const HOLDS: TableSpec<HoldRow> = {
  name: 'desk_holds',
  key: ['tenant', 'id'],
  columns: {
    tenant: 'text',
    id: 'text',
    runId: 'text',
    conversationId: 'text',
    agent: 'text',
    park: 'number',
    place: 'number',
    kind: 'text',
    key: 'json',
    path: 'json',
    toolName: 'json',
    args: 'json',
    checkedArgs: 'json',
    metadata: 'json',
    preview: 'json',
    digest: 'text',
    callDigest: 'text',
    revision: 'number',
    proposal: 'json',
    votes: 'json',
    approvers: 'json',
    requirements: 'json',
    requester: 'json',
    alsoAsked: 'json',
    schema: 'json',
    toolHash: 'text',
    decidedBy: 'json',
    inDoubt: 'json',
    drifted: 'boolean',
    deniedBefore: 'boolean',
    state: 'text',
    outcome: 'text',
    searchText: 'text',
    redactionRules: 'text',
    createdAt: 'number',
    expiresAt: 'number',
    settledAt: 'number',
    isBegun: 'boolean',
    auditFrom: 'number',
  },
};

/** Answers to holds. */
export const ANSWERS: TableSpec<AnswerRow> = {
  name: 'desk_answers',
  key: ['tenant', 'holdId', 'number'],
  columns: {
    tenant: 'text',
    holdId: 'text',
    number: 'number',
    by: 'json',
    answer: 'json',
    digest: 'text',
    countsFor: 'text',
    roles: 'json',
    remember: 'json',
    at: 'number',
  },
};

/** Values that people must not see. They are JSON so that every database can hold them. */
export const SECRETS: TableSpec<SecretRow> = {
  name: 'desk_secrets',
  key: ['tenant', 'conversationId', 'id'],
  columns: { tenant: 'text', conversationId: 'text', id: 'text', value: 'json' },
};

/** Approvals that were given in advance. */
export const GRANTS: TableSpec<GrantRow> = {
  name: 'desk_grants',
  key: ['tenant', 'id'],
  columns: {
    tenant: 'text',
    id: 'text',
    scope: 'text',
    toolName: 'json',
    toolHash: 'text',
    match: 'json',
    agent: 'text',
    path: 'json',
    conversationId: 'text',
    requester: 'json',
    requesterKey: 'text',
    by: 'json',
    holdId: 'text',
    runId: 'text',
    expiresAt: 'number',
    uses: 'number',
    used: 'number',
    createdAt: 'number',
    revokedAt: 'number',
    revokedBy: 'json',
    auditEntry: 'number',
  },
};

/** Work that is due. */
export const TASKS: TableSpec<TaskRow> = {
  name: 'desk_tasks',
  key: ['tenant', 'kind', 'id'],
  columns: {
    tenant: 'text',
    kind: 'text',
    id: 'text',
    queue: 'text',
    due: 'number',
    fence: 'number',
    tries: 'number',
  },
};

/** What others are to be told. */
export const OUTBOX: TableSpec<OutboxRow> = {
  name: 'desk_outbox',
  key: ['tenant', 'id'],
  columns: {
    tenant: 'text',
    id: 'text',
    runId: 'text',
    kind: 'text',
    data: 'json',
    at: 'number',
    deliveredAt: 'number',
    transactionId: 'number',
    sequence: 'number',
  },
};

/** Audits of runs. */
export const AUDIT: TableSpec<AuditRow> = {
  name: 'desk_audit',
  key: ['tenant', 'runId', 'number'],
  columns: {
    tenant: 'text',
    runId: 'text',
    number: 'number',
    at: 'number',
    kind: 'text',
    by: 'json',
    data: 'json',
    previous: 'text',
    hash: 'text',
  },
};

/** The ledger. */
export const ENTRIES: TableSpec<EntryRow> = {
  name: 'desk_entries',
  key: ['tenant', 'key'],
  columns: {
    tenant: 'text',
    key: 'text',
    state: 'text',
    attempt: 'text',
    runId: 'text',
    until: 'number',
    since: 'number',
    reason: 'json',
    outcome: 'json',
    digest: 'text',
    changedAt: 'number',
  },
};
