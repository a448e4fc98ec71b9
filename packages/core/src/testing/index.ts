export { approver, type TestApprover, type ApproverDecision } from './approvers.ts';
export {
  describeLedger,
  type LedgerCase,
  ledgerCases,
  type LedgerSuite,
  type TestRunner,
} from './describe-ledger.ts';
export type { LedgerClock, OpenedLedger } from './ledger-cases/fixture.ts';
export {
  everyFault,
  faultyLedger,
  type FaultyLedger,
  type LedgerFault,
  LedgerFaultError,
  type LedgerOperation,
} from './faulty-ledger.ts';
export type { NativeSupport } from '../models/scripted/native-support.ts';
export {
  calls,
  type CallsOptions,
  responds,
  type ResponseItem,
  says,
  type SaysOptions,
  thinks,
  type ThinksOptions,
} from '../models/scripted/builders.ts';
export { exampleValue, type ExampleValueOptions } from '../models/scripted/example-value.ts';
export { fakeClock, type FakeClock, type FakeClockOptions } from './fake-clock.ts';
export {
  functionModel,
  type FunctionModel,
  type FunctionModelOptions,
  type ResponseFunction,
  type StreamFunction,
  type StreamPiece,
} from '../models/scripted/function-model.ts';
export { modelCall } from '../models/scripted/model-call.ts';
export {
  type RecordedArrival,
  type RecordedError,
  type RecordedRequest,
  type Recording,
  ReplayMismatchError,
} from './recording.ts';
export {
  recordingEnvironment,
  type RecordingEnvironment,
  replayingEnvironment,
  type ReplayingEnvironment,
  type ReplayOptions,
} from './recorded-environments.ts';
export type {
  DraftPart,
  DraftToolCall,
  ResponseDraft,
  ResponseFields,
  ResponseLike,
} from '../models/scripted/response-draft.ts';
export {
  scriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptEntry,
} from '../models/scripted/scripted-model.ts';
export { seededRandom } from './seeded-random.ts';
export { shufflingEnvironment } from './shuffling-environment.ts';
export { TestModel, type TestModelOptions } from '../models/scripted/test-model.ts';
