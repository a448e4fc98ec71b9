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
export { DeskReader } from './desk/desk-reader.ts';
export type {
  ApproverRights,
  ByOption,
  DecideOptions,
  DelegateOptions,
  HoldWithDecisions,
  MessageOptions,
  StartOptions,
  WaitOptions,
  PerformOptions,
  SweepLoopOptions,
  SweepOptions,
  WorkerOptions,
} from './desk/method-options.ts';
export { decisionSchema } from './desk/check-decision.ts';
export type { ChangesResponse, RequestedChanges } from './desk/requested-changes.ts';
export type {
  AnyDeskAgent,
  AnyDeskAgents,
  DepsOf,
  DeskAgent,
  DeskAgentDeps,
  RunInfo,
  RunOf,
  StoredAs,
  StoredOutputOf,
  NameInTools,
  ToolNameOf,
  ToolNamesOf,
} from './desk/desk-agent.ts';
export type {
  LiveEvent,
  LiveRunEvent,
  LiveSubAgentEvent,
  RunLiveEvent,
  RunMessageEvent,
  RunRewindEvent,
  RunStateEvent,
  RunStreamEvent,
  RunStreamOptions,
} from './stream/run-stream-event.ts';
export { stepEventsOf } from './stream/step-events.ts';
export type { Approvers, DeskOptions, Shadow, DeferredCallInfo } from './desk/desk-options.ts';
export type { EditProblem } from './approvers/validate-edit.ts';
export type { EffectiveCall } from './approvers/effective-call.ts';
export type { EffectiveHold, PolicyApprover } from './approvers/policy.ts';
export type {
  EvaluatedHold,
  FailedSimulation,
  PastHold,
  SimulatedHold,
} from './approvers/simulate-policy.ts';
export type { EditPreview } from './desk/preview-edit.ts';
export type { SimulatePolicyOptions } from './desk/simulate-policy.ts';
export type {
  ClaimCallbackOptions,
  ClaimedRequestOptions,
  ClaimRequestOptions,
  DeskRequests,
  HeartbeatOptions,
  WaitForRequestOptions,
} from './desk/desk-requests.ts';
export type { CreateKeyOptions, DeskKeys, RotateKeyOptions } from './desk/desk-keys.ts';
export type { NewRequestOptions, OutsideTool, RequestOptions } from './desk/request-options.ts';
export type { RequestClaim } from './requests/claim-request.ts';
export {
  type DeskRequest,
  REQUEST_STATES,
  type RequestDecision,
  type RequestState,
} from './requests/read-request.ts';
export type { Settlement } from './requests/settle-request.ts';
export type { RequestFacts, RequestOutcome } from './model/request-facts.ts';
export type { ApiKey, CreatedKey, FoundKey } from './links/api-key.ts';
export type { CallbackOptions, CallbackResult } from './links/callback.ts';
export { KEY_SCOPES, type KeyScope } from './model/key-scope.ts';
export { ArgumentsDoNotFitError } from './errors/arguments-do-not-fit-error.ts';
export { ClaimLostError } from './errors/claim-lost-error.ts';
export { DeskError, type DeskErrorCode } from './errors/desk-error.ts';
export { EditDoesNotFitError } from './errors/edit-does-not-fit-error.ts';
export { jsonLogger, type JsonLoggerOptions } from './errors/json-logger.ts';
export { LOG_LEVELS, type LogFields, type Logger, type LogLevel } from './errors/logger.ts';
export type { ErrorContext, OnError } from './errors/report-error.ts';
export { HoldSettledError } from './errors/hold-settled-error.ts';
export { InputDoesNotFitError } from './errors/input-does-not-fit-error.ts';
export { PolicyError } from './errors/policy-error.ts';
export { TamperedError } from './errors/tampered-error.ts';
export type { ActionTarget, AuthorizeAction, DeskAction } from './http/access.ts';
export { TaskGivenUpError } from './errors/task-given-up-error.ts';
export type { ActingApprover, RolesOf } from './approvers/delegated.ts';
export type { Authorize, Caller, CallerAccount, MayDecide, Rejection } from './http/caller.ts';
export type { EventOptions, HttpOptions } from './http/desk-app-options.ts';
export { SIGN_IN_PATHS, type SignInProvider, type SignInPath } from './http/entrance.ts';
export type { RateLimitOptions } from './http/rate-limits.ts';
export { openDesk, type ServedDeskOptions } from './http/open-desk.ts';
export type { Redact, RedactArgs, RedactCall, RedactRule } from './redaction/redact.ts';
export type {
  ErasureOptions,
  ErasureReport,
  PersonErasureReport,
} from './retention/erase.ts';
export type { ExportedRecord } from './retention/export.ts';
export type { RetentionReport } from './retention/apply-retention.ts';
export type { RetentionOptions } from './retention/retention-options.ts';
export { ServedDesk } from './http/served-desk.ts';
export { CallDeadlines } from './ledger/call-deadlines.ts';
export { storeLedger } from './ledger/store-ledger.ts';
export type {
  DecisionLink,
  DecisionLinkOptions,
  LinkStatus,
  OpenedLink,
  StoredLink,
} from './links/decision-link.ts';
export type { DecisionRow, Decision } from './model/decision-row.ts';
export type {
  ApproverRule,
  EscalationStep,
  GrantScope,
  HoldApprovers,
  Requirement,
} from './model/approver-rule.ts';
export type {
  DeskStats,
  DeskTelemetry,
  HoldEnd,
  SettledHold,
} from './telemetry/desk-telemetry.ts';
export { adviceFor } from './model/check-keys.ts';
export type { CommentRow } from './model/comment-row.ts';
export type { ConversationRow } from './model/conversation-row.ts';
export { auditHash, type UnhashedAudit } from './model/audit-chain.ts';
export type { AuditKind, AuditRow } from './model/audit-row.ts';
export type {
  DeskEvent,
  EventDetails,
  EventFacts,
  HoldDetails,
  NoDetails,
} from './model/desk-event.ts';
export type { DelegationRow, Delegator } from './model/delegation-row.ts';
export type { DeliveryRow, DeliveryState } from './model/delivery-row.ts';
export type { EntryRow } from './model/entry-row.ts';
export type { GrantMatch, GrantRow } from './model/grant-row.ts';
export type { AutomaticDecision, HoldQuestion, HoldRow } from './model/hold-row.ts';
export type { InputRow, InputState } from './model/input-row.ts';
export type { MessageRow } from './model/message-row.ts';
export {
  type NewOutboxRow,
  OUTBOX_KINDS,
  type OutboxKind,
  type OutboxRow,
} from './model/outbox-row.ts';
export {
  eventCursor,
  type DelegationQuery,
  type EligibleApprover,
  type GrantQuery,
  type HoldQuery,
  type Page,
  type IdPrefixQuery,
  type PageQuery,
  type RunQuery,
} from './model/page.ts';
export type { Person } from './model/person.ts';
export type { GrantRequest } from './model/grant-request.ts';
export type { RunProblem, RunRow } from './model/run-row.ts';
export type { SecretRow } from './model/secret-row.ts';
export {
  HOLD_TRANSITIONS,
  type HoldOutcome,
  type HoldState,
  RUN_TRANSITIONS,
  type RunState,
} from './model/states.ts';
export type { Proposal, ShownEdit, Vote } from './model/vote.ts';
export {
  type ClaimOptions,
  type DeadLetter,
  TASK_KINDS,
  type TaskClaim,
  type TaskKind,
  type TaskQueues,
  type TaskRow,
} from './model/task-row.ts';
export type { TokenEnd, TokenKind, TokenRow } from './model/token-row.ts';
export { visible } from './model/visible.ts';
export type { RunLimitOptions } from './worker/run-limits.ts';
export type { ReservedSlots } from './worker/worker.ts';
export { WebhookGivenUpError } from './notify/webhook-error.ts';
export type { WebhookOptions } from './notify/webhook-options.ts';
export type {
  PostgresClient,
  PostgresPool,
  PostgresResult,
  PostgresStatement,
} from './store/postgres/postgres-pool.ts';
export {
  postgresMigrator,
  type PostgresMigratorOptions,
} from './store/postgres/postgres-migrator.ts';
export { postgresStore, type PostgresStoreOptions } from './store/postgres/postgres-store.ts';
export type {
  AgedRows,
  CandidatePage,
  EndedRun,
  EventRange,
  PendingParts,
  ReadRetention,
  Retention,
  RowCounts,
  RunPart,
  RunScope,
} from './store/retention.ts';
export type { SchemaMigrator } from './store/sql/schema-migrator.ts';
export type { SchemaStatus } from './store/sql/schema-status.ts';
export { sqliteMigrator, type SqliteMigratorOptions } from './store/sqlite/sqlite-migrator.ts';
export { sqliteStore, type SqliteStoreOptions } from './store/sqlite/sqlite-store.ts';
export type { ChangeListener } from './store/store-change.ts';
export type { DueTask, Engine } from './engine/engine.ts';
export type { PerformedTask } from './desk/perform.ts';
export type { NextPerformance, PerformAgain } from './worker/next-performance.ts';
export type { RevokedTask, StoreChange } from './store/store-change.ts';
export type {
  Audit,
  ConversationKey,
  DeliveryKey,
  EntryKey,
  GrantedCall,
  DecisionKey,
  IdKey,
  InputKey,
  Messages,
  Outbox,
  ReadDecisions,
  ReadAudit,
  ReadEntries,
  CommentKey,
  Delegations,
  ReadComments,
  ReadDelegations,
  ReadGrants,
  ReadDeliveries,
  ReadHolds,
  ReadInputs,
  ReadMessages,
  ReadOutbox,
  ReadRuns,
  ReadSecrets,
  ReadTable,
  ReadTasks,
  ReadTokens,
  ReadTx,
  SecretKey,
  Store,
  StoredHoldQuery,
  Table,
  TaskKey,
  Tasks,
  TokenKey,
  Tokens,
  Tx,
  RunReference,
  TxOptions,
} from './store/store.ts';
