export { approver } from './approvers.ts';
export type { TestApprover, ApproverAnswer } from './approvers.ts';
export { describeLedger, ledgerCases } from './describe-ledger.ts';
export type { LedgerCase, LedgerSuite, TestRunner } from './describe-ledger.ts';
export type { LedgerClock, OpenedLedger } from './opened-ledger.ts';
export { everyFault, faultyLedger, LedgerFaultError } from './faulty-ledger.ts';
export type { FaultyLedger, LedgerFault, LedgerOperation } from './faulty-ledger.ts';
export type { NativeSupport } from '../models/scripted/native-support.ts';
export { calls, reply, says, thinks } from '../models/scripted/builders.ts';
export type {
  CallsOptions,
  ReplyItem,
  SaysOptions,
  ThinksOptions,
} from '../models/scripted/builders.ts';
export { exampleValue } from '../models/scripted/example-value.ts';
export type { ExampleValueOptions } from '../models/scripted/example-value.ts';
export { fakeClock } from './fake-clock.ts';
export type { FakeClock, FakeClockOptions } from './fake-clock.ts';
export { functionModel } from '../models/scripted/function-model.ts';
export type {
  FunctionModel,
  FunctionModelOptions,
  ReplyFunction,
  StreamFunction,
  StreamPiece,
} from '../models/scripted/function-model.ts';
export { modelCall } from '../models/scripted/model-call.ts';
export type {
  RecordedArrival,
  RecordedError,
  RecordedRequest,
  Recording,
} from './recording.ts';
export { recordingEnvironment } from './recording-environment.ts';
export type { RecordingEnvironment } from './recording-environment.ts';
export { ReplayMismatchError } from './replay-mismatch-error.ts';
export { replayingEnvironment } from './replaying-environment.ts';
export type { ReplayingEnvironment, ReplayOptions } from './replaying-environment.ts';
export type {
  ArgsOptions,
  DraftPart,
  DraftToolCall,
  ReplyDraft,
  ReplyFields,
  ReplyLike,
} from '../models/scripted/reply-draft.ts';
export { scriptedModel } from '../models/scripted/scripted-model.ts';
export type {
  ScriptedModel,
  ScriptedModelOptions,
  ScriptEntry,
} from '../models/scripted/scripted-model.ts';
export { seededRandom } from './seeded-random.ts';
export { shufflingEnvironment } from './shuffling-environment.ts';
export { TestModel } from '../models/scripted/test-model.ts';
export type { TestModelOptions } from '../models/scripted/test-model.ts';
