/** Details of deferred calls: options, documents, rules, and tools for parked histories. */

export type { AnswerRule, RuleAnswer, RuleFunction } from '../deferred/answer-by-rules.ts';
export type {
  Answer,
  ShownEdit,
  ToolApprovedOptions,
  ToolDeniedOptions,
  ToolUnansweredOptions,
  UnansweredReason,
} from '../deferred/answers.ts';
export type { CheckedEdit, EditCheck } from '../deferred/checked-edit.ts';
export type {
  ApprovedJson,
  DecisionJson,
  DeniedJson,
  UnansweredJson,
} from '../deferred/codec/approval-json.ts';
export type {
  ModelRetryJson,
  ToolFailedJson,
  ToolReturnJson,
  ValueJson,
} from '../deferred/codec/call-json.ts';
export {
  type ApprovalJson,
  type CallJson,
  REQUESTS_VERSION,
  type RequestsDocument,
  requestsToJson,
  RESULTS_VERSION,
  type ResultsDocument,
  resultsToJson,
} from '../deferred/codec/index.ts';
export { forkHistory, type ForkOptions } from '../deferred/fork-history.ts';
export type { Answered } from '../deferred/handler.ts';
export type { AgentCall, NestedPlace } from '../deferred/nested-calls.ts';
export type {
  BuildResultsOptions,
  DeferredToolRequestsOptions,
  KnownCall,
} from '../deferred/requests.ts';
export type { ById, DeferredToolResultsOptions } from '../deferred/results.ts';
export type { CallToVerify, VerifyApproval } from '../execution/approval.ts';
export type { Approver } from '../messages/call-approval.ts';
export type { CallInDoubt } from '../messages/call-details.ts';
export { pruneParked } from '../messages/prune-parked.ts';
export type { ApprovalPolicy } from '../toolsets/approval-required.ts';
