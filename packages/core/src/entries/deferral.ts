/** Details of deferred calls: options, documents, rules, and tools for parked histories. */

export type { DecisionRule, RuleDecision, RuleFunction } from '../deferred/decide-by-rules.ts';
export type {
  Decision,
  ShownEdit,
  ToolApprovedOptions,
  ToolDeniedOptions,
  UndecidedOptions,
} from '../deferred/decisions.ts';
export type { CheckedEdit, EditCheck } from '../deferred/pending-call.ts';
export type {
  ApprovedJson,
  DecisionJson,
  DeniedJson,
  ExpiredJson,
  InputJson,
  RetryJson,
  SupersededJson,
} from '../deferred/codec/approval-json.ts';
export type { FailJson, ResultJson } from '../deferred/codec/call-json.ts';
export type {
  ApprovalJson,
  CallJson,
  RequestsDocument,
  ResultsDocument,
} from '../deferred/codec/index.ts';
export type { PendingCallsDocument } from '../deferred/codec/requests-codec.ts';
export { forkHistory, type ForkOptions } from '../deferred/fork-history.ts';
export type { HandlerResult } from '../deferred/handlers.ts';
export type { AgentCall, NestedPath } from '../deferred/nested-calls.ts';
export type {
  ApprovalEntry,
  ApproveOptions,
  EntryOf,
  ExternalEntry,
  MatchingTool,
  PendingCallParts,
  ResolvedCall,
} from '../deferred/pending-call.ts';
export type { BuildResultsOptions, DeferredToolRequestsOptions } from '../deferred/requests.ts';
export type { DeferredToolResultsOptions, RecordByKey } from '../deferred/results.ts';
export type { CallToVerify, VerifyApproval } from '../gate/approval.ts';
export type { Approver } from '../messages/call-details.ts';
export type {
  CallInDoubt,
  EarlierApproval,
  EarlierDecisions,
  Question,
} from '../messages/call-details.ts';
export { pruneParked } from '../messages/prune-parked.ts';
export {
  questionForm,
  type QuestionForm,
  type QuestionFormSchema,
} from '../models/question-form.ts';
export { schemaProblems } from '../models/schema-problems.ts';
export type { ApprovalPolicy } from '../toolsets/transforms.ts';
