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
export { exampleValue, type ExampleValueOptions } from '../models/scripted/example-value.ts';
export {
  functionModel,
  type FunctionModel,
  type FunctionModelOptions,
  type ResponseFunction,
  type StreamFunction,
  type StreamPiece,
} from '../models/scripted/function-model.ts';
export {
  type DraftPart,
  type DraftToolCall,
  modelCall,
  type NativeSupport,
  type ResponseDraft,
  type ResponseFields,
  type ResponseLike,
} from '../models/scripted/response-draft.ts';
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
export {
  calls,
  type CallsOptions,
  responds,
  type ResponseItem,
  says,
  type SaysOptions,
  type ScriptedModel,
  scriptedModel,
  type ScriptedModelOptions,
  type ScriptEntry,
  thinks,
  type ThinksOptions,
} from '../models/scripted/scripted-model.ts';
export { shufflingEnvironment } from './shuffling-environment.ts';
export { TestModel, type TestModelOptions } from '../models/scripted/test-model.ts';
export { type FakeClock, fakeClock, type FakeClockOptions, seededRandom } from './fake-clock.ts';
