export { fromAuditLines, toAuditLines } from './audit/audit-lines.ts';
export type { AuditHead } from './audit/audit-head.ts';
export type { AuditKey, AuditKeyLike } from './audit/audit-key.ts';
export type { AuditProblem, AuditProblemKind } from './audit/audit-problem.ts';
export {
  type AuditCheckpoint,
  auditCheckpointSchema,
  type CheckpointSignature,
  type RunCheckpoint,
  type TenantCheckpoint,
} from './audit/checkpoint.ts';
export { exportAudit } from './audit/export-audit.ts';
export { signRunAudit, signTenantAudit } from './audit/sign-audit.ts';
export { type AuditReport, verifyAudit, type VerifyAuditOptions } from './audit/verify-audit.ts';
export { Desk } from './desk/desk.ts';
export type {
  AnsweredHold,
  AnswerOptions,
  MessageOptions,
  StartOptions,
  WorkOptions,
} from './desk/desk.ts';
export { holdAnswerSchema } from './desk/check-answer.ts';
export type { AnyDeskAgent, DepsOf, DeskAgent, RunInfo } from './desk/desk-agent.ts';
export type { DeskOptions, WaitingCallInfo } from './desk/desk-options.ts';
export { ClaimLostError } from './errors/claim-lost-error.ts';
export { DeskError, type DeskErrorCode } from './errors/desk-error.ts';
export { HoldSettledError } from './errors/hold-settled-error.ts';
export type { Authorize, Caller, MayAnswer, Refusal } from './http/caller.ts';
export type { EventOptions, HttpOptions } from './http/desk-app-options.ts';
export { openDesk, type ServedDeskOptions } from './http/open-desk.ts';
export type { Redact, RedactRule } from './http/redaction/redact.ts';
export { ServedDesk } from './http/served-desk.ts';
export { storeLedger } from './ledger/store-ledger.ts';
export type { AnswerRow, HoldAnswer } from './model/answer-row.ts';
export { auditHash, type UnhashedAudit } from './model/audit-chain.ts';
export type { AuditKind, AuditRow } from './model/audit-row.ts';
export type { EntryRow } from './model/entry-row.ts';
export type { HoldRow } from './model/hold-row.ts';
export type { MessageRow } from './model/message-row.ts';
export type { OutboxKind, OutboxRow } from './model/outbox-row.ts';
export type { HoldQuery, Page, PageQuery, RunQuery } from './model/page.ts';
export type { Person } from './model/person.ts';
export type { RunProblem, RunRow } from './model/run-row.ts';
export {
  HOLD_TRANSITIONS,
  type HoldOutcome,
  type HoldState,
  RUN_TRANSITIONS,
  type RunState,
} from './model/states.ts';
export type { TaskClaim, TaskKind, TaskRow } from './model/task-row.ts';
export { memoryStore, type MemoryStoreOptions } from './store/memory/memory-store.ts';
export type {
  PostgresClient,
  PostgresPool,
  PostgresResult,
  PostgresStatement,
} from './store/postgres/postgres-pool.ts';
export { postgresStore, type PostgresStoreOptions } from './store/postgres/postgres-store.ts';
export { sqliteStore, type SqliteStoreOptions } from './store/sqlite/sqlite-store.ts';
export type {
  Audit,
  EntryKey,
  HoldAnswerKey,
  IdKey,
  Messages,
  ReadAudit,
  ReadHolds,
  ReadMessages,
  ReadOutbox,
  ReadRuns,
  ReadTable,
  ReadTx,
  Store,
  Table,
  TaskKey,
  Tasks,
  Tx,
} from './store/store.ts';
