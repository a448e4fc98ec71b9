import { Cancellation } from '../context/cancellation.ts';
import { chain, eachInTurn, later, type MaybePromise } from '../context/chain.ts';
import type { CheckedArgs } from '../deferred/requests.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { Approval } from './approval.ts';
import { claimPlan, runsOnce } from './claim.ts';
import { askedAgain, withArgs } from './describe-call.ts';
import { withEdit } from './edited-args.ts';
import { recordAnswer } from './record-answer.ts';
import type { Message } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { type RunningCall, startCall } from './execute-call.ts';
import { admit, type Admission, type CallAtGate, type Deferred, type Permitted } from './gate.ts';
import {
  type AnsweredOutcome,
  type CallResult,
  type DeferredOutcome,
  type FinalOutcome,
  type Outcome,
  type ParkedOutcome,
  type RetryOutcome,
  resultOf,
} from './outcome.ts';
import type { ExecutionScope } from './scope.ts';

/** A call of a response, with the place where its result goes. */
export interface PlacedCall extends CallAtGate {
  /** The position of the call among the calls of its response. */
  readonly place: number;
  /** Somebody has answered the call: it does not run. */
  readonly answered?: CallResult | undefined;
  /** What was known about it when somebody was asked. */
  readonly asked?: CallDetails | undefined;
}

/** Where what comes of calls is put, by their place, as it comes. */
export interface BatchResults {
  readonly results: (CallResult | undefined)[];
  readonly deferrals: (Deferral | undefined)[];
}

/** A call that has no result yet: somebody else has to answer it, or it is to an agent that waits. */
export type Deferral = WaitingDeferral | AgentDeferral;

/** A call that somebody else has to answer. */
export interface WaitingDeferral extends Pick<DeferredOutcome, 'as' | 'metadata'> {
  /** The arguments; absent where nobody has checked them. */
  readonly checked: CheckedArgs | undefined;
  readonly details?: CallDetails | undefined;
  /** Whether the tool was asked what the call will do. */
  readonly isDescribed: boolean;
}

/** A call to an agent whose run is parked. */
export interface AgentDeferral {
  readonly as: 'agent';
  readonly messages: readonly Message[];
  /** The call itself was approved. */
  readonly approval?: Approval | undefined;
}

interface AdmittedCall {
  readonly placed: PlacedCall;
  readonly permitted: Permitted;
}

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
  const batch = new Cancellation(scope.cancellation, scope.observed);
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
    ? admitting.then((admission) => takeAdmission(batch, placed, admission))
    : takeAdmission(batch, placed, admitting);
}

function takeAdmission(
  batch: BatchAtGate,
  placed: PlacedCall,
  admission: Admission,
): Promise<void> | undefined {
  const argsValid = admission.kind !== 'refused' || admission.argsValid;
  if (admission.kind === 'permitted') {
    batch.admitted.push({ placed, permitted: admission });
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
  const keeping = batch.batch.wait(keepAnswer(batch.scope, placed, answer, batch.batch));
  return keeping instanceof Promise ? keeping.then(take) : take(keeping);
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

/** An answer that runs nothing, after a ledger was told of it; it may know an earlier outcome. */
function keepAnswer(
  { claims, tools }: ExecutionScope,
  { call, asked, approval }: PlacedCall,
  answer: AnsweredOutcome,
  cancellation: Cancellation,
): MaybePromise<FinalOutcome | DeferredOutcome> {
  if (claims === undefined) return answer;
  const definition = tools.get(call.toolName)?.definition;
  const plan = claimPlan(claims, call, {
    asked: asked ?? approval?.asked,
    isAnswered: true,
    once: definition !== undefined && runsOnce(claims, definition),
  });
  return recordAnswer(claims, { call, plan, answer, cancellation });
}

/** Puts calls to tools that always defer where they wait; those that are not in order go back to the model. */
export function deferMarked(
  scope: ExecutionScope,
  calls: readonly PlacedCall[],
  into: BatchResults,
): MaybePromise<unknown> {
  return eachInTurn(calls, (placed) => {
    const admitting = admit(scope, placed, scope.cancellation);
    return admitting instanceof Promise
      ? later(admitting, takeMarked, placed, scope, into)
      : takeMarked(admitting, placed, scope, into);
  });
}

function takeMarked(
  admission: Admission,
  placed: PlacedCall,
  scope: ExecutionScope,
  into: BatchResults,
): MaybePromise<void> {
  return scope.observed
    ? tellMarked(admission, placed, scope, into)
    : putMarked(admission, placed, scope, into);
}

async function tellMarked(
  admission: Admission,
  placed: PlacedCall,
  scope: ExecutionScope,
  into: BatchResults,
): Promise<void> {
  const argsValid = admission.kind !== 'refused' || admission.argsValid;
  await scope.emit({ kind: 'tool-call', part: placed.call, argsValid });
  return putMarked(admission, placed, scope, into);
}

function putMarked(
  admission: Admission,
  { call, place }: PlacedCall,
  scope: ExecutionScope,
  into: BatchResults,
): MaybePromise<void> {
  if (admission.kind === 'permitted') return;
  if (admission.kind === 'deferred') {
    into.deferrals[place] = deferralOf(admission, true);
    return;
  }
  const result = settle(scope, call, admission.outcome);
  into.results[place] = result;
  return emitResult(scope, result);
}

function deferralOf(
  {
    outcome,
    checked,
    details,
  }: Pick<WaitingDeferral, 'checked' | 'details'> & Pick<Deferred, 'outcome'>,
  isDescribed: boolean,
): WaitingDeferral {
  const { as, metadata, inDoubt } = outcome;
  const known = inDoubt === undefined ? details : Object.freeze({ ...details, inDoubt });
  return { as, metadata, checked, details: known, isDescribed };
}

/** Maximal runs of calls that may run together. */
function segmentsOf(
  scope: ExecutionScope,
  calls: readonly AdmittedCall[],
): readonly (readonly AdmittedCall[])[] {
  const isAlone = ({ permitted }: AdmittedCall) =>
    scope.parallelMode === 'sequential' || permitted.tool.definition.sequential;
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
  segment: readonly AdmittedCall[],
  into: BatchResults,
  batch: Cancellation,
): Promise<unknown> {
  const inOrder = scope.parallelMode === 'parallel-ordered-events';
  const told: Promise<void>[] = [];
  const running: RunningCall[] = [];
  const finished: RunningCall['finished'][] = [];
  for (const { permitted } of segment) {
    const call = startCall(scope, permitted);
    running.push(call);
    finished.push(call.finished);
  }
  const take = (end: Outcome | void, index: number) => {
    // What comes in after the batch has failed has no effect.
    if (batch.cancelled) return;
    // Ends come for calls that were started.
    const result = conclude(scope, segment[index]!, running[index]!.conclude(end), into);
    const telling = inOrder || result === undefined ? undefined : emitResult(scope, result);
    if (telling === undefined) return;
    telling.catch((error) => batch.cancel(error));
    told.push(telling);
  };
  const settled = batch.guard(scope.environment.all(finished, take));
  if (!scope.observed) return settled;
  return settled.then(() => (inOrder ? tellInOrder(scope, segment, into) : allTold(told)));
}

/** Puts what came of a call into its place; gives what the model is told, if there is something yet. */
function conclude(
  scope: ExecutionScope,
  { placed, permitted }: AdmittedCall,
  outcome: Outcome,
  into: BatchResults,
): CallResult | undefined {
  const { call, place, approval } = placed;
  if (outcome.kind === 'deferred') {
    const details =
      outcome.as === 'approval' ? withArgs(undefined, permitted.changedArgs) : undefined;
    into.deferrals[place] = deferralOf({ outcome, checked: permitted.permit, details }, false);
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

async function tellInOrder(
  scope: ExecutionScope,
  segment: readonly AdmittedCall[],
  { results }: BatchResults,
): Promise<void> {
  for (const { placed } of segment) {
    const result = results[placed.place];
    if (result !== undefined) await emitResult(scope, result);
  }
}

async function allTold(told: readonly Promise<void>[]): Promise<void> {
  for (const telling of told) await telling;
}

/** Counts an outcome and turns it into what the model is told; an error is thrown. */
function settle(
  scope: ExecutionScope,
  call: ToolCallPart,
  outcome: Exclude<Outcome, DeferredOutcome | ParkedOutcome>,
): CallResult {
  if (outcome.kind === 'error') throw outcome.error;
  if (outcome.kind === 'retry' && !outcome.isFree) countFailure(scope, call.toolName, outcome);
  if (outcome.kind !== 'value') return resultOf(call, outcome);
  scope.counter.succeeded(call.toolName);
  scope.usage.addToolCall();
  return resultOf(
    call,
    outcome.tools ? { ...outcome, tools: scope.reveal(outcome.tools) } : outcome,
  );
}

function countFailure(scope: ExecutionScope, name: string, outcome: RetryOutcome): void {
  scope.counter.failed(name, scope.tools.get(name)?.maxRetries ?? scope.toolRetries, outcome);
}

function emitResult(scope: ExecutionScope, result: CallResult): Promise<void> | undefined {
  if (!scope.observed) return undefined;
  const { part, content, delta } = result;
  const telling = scope.emit(
    content === undefined
      ? { kind: 'tool-result', part }
      : { kind: 'tool-result', part, content: content.content },
  );
  return delta === undefined ? telling : scope.emit({ kind: 'tools-available', part: delta });
}
