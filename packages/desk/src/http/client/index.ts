export {
  type DeskClient,
  deskClient,
  type DeskClientOptions,
  type HistoryView,
} from './desk-client.ts';
export {
  CallInDoubtError,
  executeRequest,
  type ExecuteRequestOptions,
} from './execute-request.ts';
export {
  type CallDecision,
  type CallDecisionOptions,
  CallFailedError,
  guardCall,
  type GuardedCall,
  type GuardedCallBody,
} from './guard-call.ts';
export type { ClientStreamOptions } from './read-events.ts';
export { DeskClientError } from './desk-client-error.ts';
export type { GrantQuery, HoldQuery, Page, PageQuery, RunQuery } from '../../model/page.ts';
export type { Health, MeView } from '../endpoints/account.ts';
export type { AuditVerificationView } from '../endpoints/audit.ts';
export type {
  CallbackAddressView,
  NewCallbackBody,
  NewClaimCallbackBody,
} from '../endpoints/callbacks.ts';
export type { CommentBody, CommentList } from '../endpoints/comments.ts';
export type { MessageBody } from '../endpoints/conversations.ts';
export type { DeadLetterName, DeadLetterView } from '../endpoints/dead-letters.ts';
export type { DecisionBody } from '../endpoints/decide-hold.ts';
export type {
  BulkDecision,
  BulkDecisionResult,
  BulkDecisionResults,
} from '../endpoints/decide-holds.ts';
export type { DelegateBody, DelegationListQuery } from '../endpoints/delegations.ts';
export type {
  DeviceCodeView,
  DeviceSignInBody,
  DeviceSignInView,
} from '../endpoints/device-sign-in.ts';
export type { EraseConversationBody, ErasePersonBody } from '../endpoints/erasure.ts';
export type { ErasureReport, PersonErasureReport } from '../../retention/erase.ts';
export type { ExportedRecord } from '../../retention/export.ts';
export type { HoldListQuery } from '../endpoints/holds.ts';
export type { CheckBody, EditPreviewView } from '../endpoints/preview-edit.ts';
export type {
  ClaimBody,
  HeartbeatBody,
  LeaseView,
  ReleaseBody,
  SettleBody,
} from '../endpoints/request-claims.ts';
export type {
  CreatedKeyView,
  CreateKeyBody,
  KeyList,
  KeyView,
  RotateKeyBody,
} from '../endpoints/keys.ts';
export type { RequestBody, RequestWait } from '../endpoints/requests.ts';
export type { RequestClaimView, RequestView } from '../views/request-view.ts';
export type { RequestedChangesList } from '../endpoints/requested-changes.ts';
export type { RequestedChangesView } from '../views/requested-changes-view.ts';
export type { ChangesResponse } from '../../desk/requested-changes.ts';
export type { StartBody } from '../endpoints/runs.ts';
export type { ProblemDetails } from '../problem-details.ts';
export type { HoldDetailView, DecisionView } from '../views/decision-view.ts';
export type { AuditView } from '../views/audit-view.ts';
export type { CommentView } from '../views/comment-view.ts';
export type { DelegationView } from '../views/delegation-view.ts';
export type { EventView } from '../views/event-view.ts';
export type { GrantView, GrantVoteView } from '../views/grant-view.ts';
export type { MessagePage } from '../views/history-view.ts';
export type {
  ApproversView,
  EditView,
  EscalationView,
  HoldView,
  InDoubtView,
  ViewerRights,
  ProposedView,
  QuestionView,
  RequirementView,
} from '../views/hold-view.ts';
export type { RunStreamView } from '../views/run-stream-view.ts';
export type { RunSummary, RunView } from '../views/run-view.ts';
export type { VoteView } from '../views/vote-view.ts';
export type { GrantRequest } from '../../model/grant-request.ts';
