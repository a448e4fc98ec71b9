export type {
  AuditVerificationView as AuditVerification,
  AuditView as AuditEntry,
  BulkDecision,
  BulkDecisionResult as BulkResult,
  DecisionBody,
  DecisionView,
  EditPreviewView as EditPreview,
  EventView as DeskEvent,
  GrantRequest,
  GrantView as Grant,
  HoldDetailView as HoldDetail,
  HoldListQuery as HoldFilter,
  HoldView as Hold,
  MeView as Me,
  Page,
  RunQuery,
  RunStreamView as RunStreamEvent,
  RunSummary,
  RunView,
  VoteView as Vote,
} from '../../src/http/client/index.ts';
export type { Decision } from '../../src/model/decision-row.ts';
export type { Person } from '../../src/model/person.ts';
