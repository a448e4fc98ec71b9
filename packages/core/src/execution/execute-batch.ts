import { Cancellation } from '../context/cancellation.ts';
import type { MaybePromise } from '../context/chain.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { Approval } from './approval.ts';
import { claimPlan } from './claim.ts';
import { askedAgain, withArgs } from './describe-call.ts';
import { withEdit } from './edited-args.ts';
import { recordAnswer } from './record-answer.ts';
import type { Message } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { startCall } from './execute-call.ts';
import { admit, type CallAtGate, type Deferred, type Permitted } from './gate.ts';
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
  /** The validated arguments. */
  readonly args: unknown;
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

interface AdmittedCall extends PlacedCall {
  readonly permitted: Permitted;
}

/**
 * Runs calls of one response and puts what comes of each into its place.
 *
 * All calls pass the gate first, in order. Then they run together, but a call to a sequential tool
 * runs alone. When one throws, the others are cancelled and the error is thrown on. `announce`:
 * whether observers are told of the calls, and not only of their results.
 */
export async function executeBatch(
  scope: ExecutionScope,
  calls: readonly PlacedCall[],
  into: BatchResults,
  announce = true,
): Promise<void> {
  const batch = new Cancellation(scope.cancellation);
  try {
    const admitted = await admitAll(scope, calls, into, batch, announce);
    for (const segment of segmentsOf(scope, admitted)) {
      scope.cancellation.throwIfCancelled();
      await runSegment(scope, segment, into, batch);
    }
  } catch (error) {
    batch.cancel(error);
    throw error;
  }
}

async function admitAll(
  scope: ExecutionScope,
  calls: readonly PlacedCall[],
  into: BatchResults,
  batch: Cancellation,
  announce: boolean,
): Promise<AdmittedCall[]> {
  const admitted: AdmittedCall[] = [];
  const settled: { readonly placed: PlacedCall; readonly outcome: FinalOutcome }[] = [];
  for (const placed of calls) {
    const { call, place, answered } = placed;
    let argsValid: boolean | undefined;
    let outcome: FinalOutcome | DeferredOutcome | undefined = answered && {
      kind: 'answered',
      result: answered,
    };
    if (outcome === undefined) {
      const admitting = admit(scope, placed, batch);
      const admission = admitting instanceof Promise ? await admitting : admitting;
      argsValid = admission.kind !== 'refused' || admission.argsValid;
      if (admission.kind === 'permitted') admitted.push({ ...placed, permitted: admission });
      else if (admission.kind === 'deferred') into.deferrals[place] = deferralOf(admission, true);
      else outcome = admission.outcome;
    }
    // An answer that runs nothing is the answer from then on.
    if (outcome?.kind === 'answered') {
      outcome = await batch.wait(keepAnswer(scope, placed, outcome));
    }
    if (outcome?.kind === 'deferred') {
      const details = askedAgain(outcome, placed.asked, placed.asked?.args);
      into.deferrals[place] = deferralOf(
        { outcome, args: undefined, details },
        details !== undefined,
      );
    } else if (outcome !== undefined) {
      settled.push({ placed, outcome });
    }
    if (announce && scope.observed) await scope.emit({ kind: 'tool-call', part: call, argsValid });
  }
  for (const { placed, outcome } of settled) {
    const result = withEdit(scope, settle(scope, placed.call, outcome), outcome.executedArgs);
    into.results[placed.place] = result;
    await emitResult(scope, result);
  }
  return admitted;
}

/** An answer that runs nothing, after a ledger was told of it; it may know an earlier outcome. */
function keepAnswer(
  { claims }: ExecutionScope,
  { call, asked, approval }: PlacedCall,
  answer: AnsweredOutcome,
): MaybePromise<FinalOutcome | DeferredOutcome> {
  if (claims === undefined) return answer;
  const plan = claimPlan(claims, call, asked ?? approval?.asked);
  return recordAnswer(claims, { call, plan, answer });
}

/** Puts calls to tools that always defer where they wait; those that are not in order go back to the model. */
export async function deferMarked(
  scope: ExecutionScope,
  calls: readonly PlacedCall[],
  into: BatchResults,
): Promise<void> {
  for (const { call, place } of calls) {
    const admission = await admit(scope, { call }, scope.cancellation);
    const argsValid = admission.kind !== 'refused' || admission.argsValid;
    if (scope.observed) await scope.emit({ kind: 'tool-call', part: call, argsValid });
    if (admission.kind === 'deferred') {
      into.deferrals[place] = deferralOf(admission, true);
    } else if (admission.kind !== 'permitted') {
      const result = settle(scope, call, admission.outcome);
      into.results[place] = result;
      await emitResult(scope, result);
    }
  }
}

function deferralOf(
  { outcome, args, details }: Pick<Deferred, 'outcome' | 'args' | 'details'>,
  isDescribed: boolean,
): WaitingDeferral {
  const { as, metadata, inDoubt } = outcome;
  const known = inDoubt === undefined ? details : Object.freeze({ ...details, inDoubt });
  return { as, metadata, args, details: known, isDescribed };
}

/** Maximal runs of calls that may run together. */
function segmentsOf(scope: ExecutionScope, calls: readonly AdmittedCall[]): AdmittedCall[][] {
  const segments: AdmittedCall[][] = [];
  let together: AdmittedCall[] | undefined;
  for (const call of calls) {
    if (scope.parallelMode === 'sequential' || call.permitted.tool.definition.sequential) {
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

async function runSegment(
  scope: ExecutionScope,
  segment: readonly AdmittedCall[],
  into: BatchResults,
  batch: Cancellation,
): Promise<void> {
  const inOrder = scope.parallelMode === 'parallel-ordered-events';
  const told: (Promise<void> | undefined)[] = [];
  const running = segment.map(({ permitted }) => startCall(scope, permitted));
  const take = (finished: Outcome | void, index: number) => {
    // What comes in after the batch has failed has no effect.
    if (batch.cancelled) return;
    const { call, place, permitted, approval } = segment[index]!;
    const outcome = running[index]!.conclude(finished);
    if (outcome.kind === 'deferred') {
      const details =
        outcome.as === 'approval' ? withArgs(undefined, permitted.changedArgs) : undefined;
      const { args } = permitted.permit;
      into.deferrals[place] = deferralOf({ outcome, args, details }, false);
      return;
    }
    if (outcome.kind === 'parked') {
      into.deferrals[place] = { as: 'agent', messages: outcome.messages, approval };
      return;
    }
    const result = withEdit(scope, settle(scope, call, outcome), outcome.executedArgs);
    into.results[place] = result;
    if (inOrder) return;
    const telling = emitResult(scope, result);
    telling?.catch((error) => batch.cancel(error));
    told.push(telling);
  };
  const settled = scope.environment.all(
    running.map((call) => call.finished),
    take,
  );
  await batch.guard(settled);
  if (inOrder) {
    for (const { place } of segment) {
      const result = into.results[place];
      if (result !== undefined) await emitResult(scope, result);
    }
  }
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
