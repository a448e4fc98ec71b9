import { Cancellation } from '../context/cancellation.ts';
import { chain, eachInTurn, later, type MaybePromise } from '../context/chain.ts';
import { deepFreeze } from '../internal/json.ts';
import { type DecidedCall, decidedCall } from './decided-call.ts';
import { askedAgain, withArgs } from './describe-call.ts';
import { withEdit } from './edited-args.ts';
import { concludeCall, startCall } from './execute-call.ts';
import { type Admission, admit, type Permitted } from './gate.ts';
import type {
  AnsweredOutcome,
  CallResult,
  DeferredOutcome,
  FinalOutcome,
  Outcome,
} from './outcome.ts';
import { type BatchResults, type Deferral, deferralOf, type PlacedCall } from './placed-call.ts';
import { keepAnswer } from './record-answer.ts';
import type { ExecutionScope } from './scope.ts';
import { emitResult, settle } from './settle-call.ts';

/** A call that is about to start: the gate has permitted it, or has decided about it. */
type AdmittedCall = Permitted<PlacedCall> | DecidedCall;

/**
 * Runs calls of one response and puts what comes of each into its place.
 *
 * All calls pass the gate first, in order. Then they run together, but a call to a sequential tool
 * runs alone. When one throws, the others are cancelled and the error is thrown on. `announce`:
 * whether observers are told of the calls, and not only of their results.
 */
export function executeBatch(
  scope: ExecutionScope,
  calls: readonly PlacedCall[],
  into: BatchResults,
  announce = true,
): MaybePromise<unknown> {
  // While calls run, only an observer that fails cancels them all.
  const batch = new Cancellation(scope.cancellation);
  const fail = (error: unknown): never => {
    batch.cancel(error);
    throw error;
  };
  try {
    const admitting = admitAll({ scope, calls, into, batch, announce, admitted: [], settled: [] });
    const executing = chain(admitting, (admitted) => runAll(scope, admitted, into, batch));
    return executing instanceof Promise ? executing.catch(fail) : executing;
  } catch (error) {
    return fail(error);
  }
}

/** Runs calls that may run: all of them together, or what has to run alone in its turn. */
function runAll(
  scope: ExecutionScope,
  admitted: readonly AdmittedCall[],
  into: BatchResults,
  batch: Cancellation,
): MaybePromise<unknown> {
  return eachInTurn(segmentsOf(scope, admitted), (segment) => {
    scope.cancellation.throwIfCancelled();
    return runSegment(scope, segment, into, batch);
  });
}

/** Calls that are on their way through the gate. */
interface BatchAtGate {
  readonly scope: ExecutionScope;
  readonly calls: readonly PlacedCall[];
  readonly into: BatchResults;
  readonly batch: Cancellation;
  readonly announce: boolean;
  readonly admitted: AdmittedCall[];
  /** Calls that do not run and have their outcome; told after all have passed the gate. */
  readonly settled: { readonly placed: PlacedCall; readonly outcome: FinalOutcome }[];
}

/** Takes all calls through the gate, one after the other; at once, if none has to be waited for. */
function admitAll(batch: BatchAtGate): MaybePromise<AdmittedCall[]> {
  const admitting = eachInTurn(batch.calls, (placed) => admitNext(batch, placed));
  return chain(
    chain(admitting, () => tellSettled(batch)),
    () => batch.admitted,
  );
}

/** Takes a call through the gate; a promise if that has to be waited for. */
function admitNext(batch: BatchAtGate, placed: PlacedCall): Promise<void> | undefined {
  const { answered } = placed;
  if (answered !== undefined) {
    return answerWith(batch, placed, { kind: 'answered', result: answered }, undefined);
  }
  const admitting = admit(batch.scope, placed, batch.batch);
  return admitting instanceof Promise
    ? later(admitting, takeAdmission, batch, placed)
    : takeAdmission(admitting, batch, placed);
}

function takeAdmission(
  admission: Admission<PlacedCall>,
  batch: BatchAtGate,
  placed: PlacedCall,
): Promise<void> | undefined {
  const argsValid = admission.kind !== 'refused' || admission.argsValid;
  const decided = decidedCall(batch.scope, placed, admission);
  if (decided !== undefined) {
    batch.admitted.push(decided);
  } else if (admission.kind === 'permitted') {
    batch.admitted.push(admission);
  } else if (admission.kind === 'deferred') {
    batch.into.deferrals[placed.place] = deferralOf(admission, true);
  } else if (admission.outcome.kind === 'answered') {
    return answerWith(batch, placed, admission.outcome, argsValid);
  } else {
    batch.settled.push({ placed, outcome: admission.outcome });
  }
  return tellCall(batch, placed, argsValid);
}

/** An answer that runs nothing is the answer from then on. */
function answerWith(
  batch: BatchAtGate,
  placed: PlacedCall,
  answer: AnsweredOutcome,
  argsValid: boolean | undefined,
): Promise<void> | undefined {
  const take = (outcome: FinalOutcome | DeferredOutcome) => {
    if (outcome.kind === 'deferred') {
      const details = askedAgain(outcome, placed.asked, placed.asked?.args);
      const deferral = { outcome, checked: undefined, details };
      batch.into.deferrals[placed.place] = deferralOf(deferral, details !== undefined);
    } else {
      batch.settled.push({ placed, outcome });
    }
    return tellCall(batch, placed, argsValid);
  };
  if (batch.scope.claims === undefined) return take(answer);
  return batch.batch.guard(keepInStep(batch.scope, placed, answer, batch.batch)).then(take);
}

function tellCall(
  { scope, announce }: BatchAtGate,
  { call }: PlacedCall,
  argsValid: boolean | undefined,
): Promise<void> | undefined {
  if (!announce || !scope.observed) return undefined;
  return scope.emit({ kind: 'tool-call', part: call, argsValid });
}

function tellSettled({ scope, into, settled }: BatchAtGate): MaybePromise<unknown> {
  return eachInTurn(settled, ({ placed, outcome }) => {
    const result = withEdit(scope, settle(scope, placed.call, outcome), outcome.executedArgs);
    into.results[placed.place] = result;
    return emitResult(scope, result);
  });
}

/**
 * Records a decision that executes nothing, if there is a ledger. Returns the decision that holds, which may be an
 * earlier one.
 *
 * With a ledger this is a step: another process may change the entry before a replay reads it again.
 */
async function keepInStep(
  scope: ExecutionScope,
  placed: PlacedCall,
  answer: AnsweredOutcome,
  cancellation: Cancellation,
): Promise<FinalOutcome | DeferredOutcome> {
  const name = `decision:${placed.call.toolName}`;
  const outcome = await scope.environment.step(name, async () => {
    try {
      return await keepAnswer(scope, placed, answer, cancellation);
    } catch (error) {
      return { kind: 'error' as const, error };
    }
  });
  if (outcome.kind === 'error') throw outcome.error;
  // An outcome of a recorded step is a copy.
  return deepFreeze(outcome);
}

/** Maximal runs of calls that may run together. */
function segmentsOf(
  scope: ExecutionScope,
  calls: readonly AdmittedCall[],
): readonly (readonly AdmittedCall[])[] {
  const isAlone = ({ tool }: AdmittedCall) =>
    scope.parallelMode === 'sequential' || tool.definition.sequential;
  if (!calls.some(isAlone)) return calls.length === 0 ? [] : [calls];
  const segments: AdmittedCall[][] = [];
  let together: AdmittedCall[] | undefined;
  for (const call of calls) {
    if (isAlone(call)) {
      segments.push([call]);
      together = undefined;
    } else if (together === undefined) {
      together = [call];
      segments.push(together);
    } else {
      together.push(call);
    }
  }
  return segments;
}

/** Runs calls together and puts what comes of them into its place. */
function runSegment(
  scope: ExecutionScope,
  calls: readonly AdmittedCall[],
  into: BatchResults,
  batch: Cancellation,
): Promise<unknown> {
  const inOrder = scope.parallelMode === 'parallel-ordered-events';
  const told: Promise<void>[] = [];
  const running: Promise<Outcome | void>[] = [];
  // Not `for … of`, which makes an object for each item until it is compiled; there is a call at each index.
  for (let index = 0; index < calls.length; index++)
    running.push(start(scope, calls[index]!, batch));
  const take = (end: Outcome | void, index: number) => {
    // What comes in after the batch has failed has no effect.
    if (batch.cancelled) return;
    // Ends come for calls that were started.
    const call = calls[index]!;
    const result = conclude(scope, call, end, into);
    const telling =
      inOrder || result === undefined ? undefined : emitResult(scope, result, isRecorded(call));
    if (telling === undefined) return;
    telling.catch((error) => batch.cancel(error));
    told.push(telling);
  };
  const settled = batch.guard(scope.environment.all(running, take));
  if (!scope.observed) return settled;
  return settled.then(() => (inOrder ? tellInOrder(scope, calls, into) : allTold(told)));
}

function start(
  scope: ExecutionScope,
  call: AdmittedCall,
  batch: Cancellation,
): Promise<Outcome | void> {
  return call.kind === 'decided' ? call.start(scope, batch) : startCall(scope, call);
}

/** Puts the outcome of a call at its index. Returns its result, if there is one yet. */
function conclude(
  scope: ExecutionScope,
  admitted: AdmittedCall,
  end: Outcome | void,
  into: BatchResults,
): CallResult | undefined {
  const { call, place, approval } = admitted.at;
  const outcome =
    admitted.kind === 'decided'
      ? admitted.conclude(scope, end)
      : concludeCall(scope, admitted, end);
  if (outcome.kind === 'deferred') {
    into.deferrals[place] = deferralFrom(admitted, outcome);
    return undefined;
  }
  if (outcome.kind === 'parked') {
    into.deferrals[place] = { as: 'agent', messages: outcome.messages, approval };
    return undefined;
  }
  const result = withEdit(scope, settle(scope, call, outcome), outcome.executedArgs);
  into.results[place] = result;
  return result;
}

/** Returns the deferral of a call that has started. The gate may have described the call before. */
function deferralFrom(admitted: AdmittedCall, outcome: DeferredOutcome): Deferral {
  const { approval } = admitted.at;
  const isDecided = admitted.kind === 'decided';
  const checked = isDecided ? admitted.checked : admitted.permit;
  if (outcome.details !== undefined) {
    return deferralOf({ outcome, checked, details: outcome.details }, true);
  }
  const changedArgs = isDecided
    ? (approval?.overrideArgs ?? approval?.asked?.args)
    : admitted.changedArgs;
  const details = outcome.as === 'approval' ? withArgs(undefined, changedArgs) : undefined;
  return deferralOf({ outcome, checked, details }, false);
}

async function tellInOrder(
  scope: ExecutionScope,
  calls: readonly AdmittedCall[],
  { results }: BatchResults,
): Promise<void> {
  for (const call of calls) {
    const result = results[call.at.place];
    if (result !== undefined) await emitResult(scope, result, isRecorded(call));
  }
}

/** Returns whether the result of a call is from a step that did not start in this attempt. */
function isRecorded(call: AdmittedCall): boolean {
  return call.kind === 'decided' ? !call.hasBegun : !call.scope.hasBegun;
}

async function allTold(told: readonly Promise<void>[]): Promise<void> {
  for (const telling of told) await telling;
}
