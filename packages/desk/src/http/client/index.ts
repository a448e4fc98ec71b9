export { type DeskClient, deskClient, type DeskClientOptions } from './desk-client.ts';
export { DeskClientError } from './desk-client-error.ts';
export type { GrantQuery, HoldQuery, Page, RunQuery } from '../../model/page.ts';
export type { AnswerBody } from '../endpoints/answer-hold.ts';
export type { CheckBody, CheckedEditView } from '../endpoints/check-edit.ts';
export type { AuditQuery } from '../endpoints/get-audit.ts';
export type { Health } from '../endpoints/get-health.ts';
export type { MeView } from '../endpoints/get-me.ts';
export type { HoldListQuery } from '../endpoints/list-holds.ts';
export type { AuditVerificationView } from '../endpoints/verify-audit.ts';
export type { MessageBody } from '../endpoints/send-message.ts';
export type { StartBody } from '../endpoints/start-run.ts';
export type { AnsweredHoldView, AnswerView } from '../views/answer-view.ts';
export type { AuditView } from '../views/audit-view.ts';
export type { EventView } from '../views/event-view.ts';
export type { GrantView } from '../views/grant-view.ts';
export type { HistoryView } from '../views/history-view.ts';
export type {
  ApproversView,
  EditView,
  HoldView,
  MineView,
  ProposedView,
  RequirementView,
} from '../views/hold-view.ts';
export type { RunSummary, RunView } from '../views/run-view.ts';
export type { VoteView } from '../views/vote-view.ts';
export type { Remember } from '../../model/remember.ts';
