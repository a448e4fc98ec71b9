export type {
  AnswerBody,
  AnsweredHoldView as AnsweredHold,
  AnswerView,
  AuditView,
  CheckedEditView as CheckedEdit,
  EventView,
  GrantView as Grant,
  HoldView as Hold,
  MeView as Me,
  Page,
  Remember,
  RunQuery,
  RunSummary,
  RunView,
  VoteView as Vote,
} from '../../src/http/client/index.ts';
export type { HoldAnswer } from '../../src/model/answer-row.ts';
export type { PageQuery } from '../../src/model/page.ts';
export type { Person } from '../../src/model/person.ts';
