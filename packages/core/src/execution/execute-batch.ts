import { Cancellation } from '../context/cancellation.ts';
import { invariant } from '../internal/invariant.ts';
import { deepFreeze } from '../internal/json.ts';
import { emitResult, toCallResult } from './call-result.ts';
import { type WithheldCall, withheldCall } from './withheld-call.ts';
import { redescribe, withArgs, withQuestion } from '../gate/describe-call.ts';
import { startCall } from './execute-call.ts';
import { admit, type Admission, type PermittedCall } from '../gate/gate.ts';
import type {
  DecidedOutcome,
  CallResult,
  DeferredOutcome,
  FinalOutcome,
  Outcome,
} from '../outcomes/outcome.ts';
import { type BatchResults, type Deferral, deferralOf, type CallInBatch } from './call-in-batch.ts';
import { recordDecision } from './claims/record-decision.ts';
import type { ExecutionScope } from './scope.ts';

/** A call that executes as a step: the gate permitted it, or withheld it although it was approved. */
type AdmittedCall = PermittedCall<CallInBatch> | WithheldCall;

/** The admission of a call to a batch. `argsValid` is `undefined` if nothing validated the arguments. */
type BatchAdmission =
  | AdmittedCall
  | {
      readonly kind: 'deferred';
      readonly deferral: Deferral;
      readonly argsValid: boolean | undefined;
    }
  | {
      readonly kind: 'settled';
      readonly outcome: FinalOutcome;
      readonly argsValid: boolean | undefined;
    };

/** A call of a batch that has its place in the order of execution: it executes, or it has its result already. */
type QueuedCall =
  | AdmittedCall
  | { readonly kind: 'settled'; readonly request: CallInBatch; readonly result: CallResult };

/** A call to an output tool that is processed among the calls of a batch. */
export interface OutputInBatch {
  readonly index: number;
  /** True if it is processed alone. */
  readonly isSequential: boolean;
  /** Processes the output. Returns the error that ends the run, and never rejects. */
  process(): Promise<{ readonly error: unknown } | undefined>;
}

/** A member of a batch that takes part in the order of execution. */
type QueuedWork = QueuedCall | { readonly kind: 'output'; readonly output: OutputInBatch };

/** Options of a batch. */
interface BatchOptions {
  /** True if each call has an event, and not only its result. Defaults to `true`. */
  readonly announce?: boolean;
  readonly outputs?: readonly OutputInBatch[];
  /** Receives the ordered events of results, by index of the call. The caller emits them. */
  readonly heldEvents?: Map<number, EmitEvent>;
}

/** Emits one event. */
export type EmitEvent = () => Promise<void>;

/** A batch of calls, with the dependencies of its functions. */
interface Batch {
  readonly scope: ExecutionScope;
  readonly into: BatchResults;
  readonly heldEvents: Map<number, EmitEvent> | undefined;
  /** Cancelled when a call or an observer fails. */
  readonly cancellation: Cancellation;
}

/**
 * Executes calls of one response and stores the outcome of each at its index.
 *
 * All calls pass the gate first, in order; the first one that fails the run ends it. Then they execute in parallel, but
 * a call to a sequential tool executes alone. If one throws, the others are cancelled and the error is rethrown.
 */
export async function executeBatch(
  scope: ExecutionScope,
  calls: readonly CallInBatch[],
  into: BatchResults,
  { announce = true, outputs = [], heldEvents }: BatchOptions = {},
): Promise<void> {
  if (calls.length === 0 && outputs.length === 0) return;
  const cancellation = new Cancellation(scope.cancellation);
  const batch: Batch = { scope, into, heldEvents, cancellation };
  try {
    const queue = await admitAll(batch, calls, announce);
    for (const group of parallelGroups(scope, withOutputs(queue, outputs))) {
      scope.cancellation.throwIfCancelled();
      await executeGroup(batch, group);
    }
  } catch (error) {
    cancellation.cancel(error);
    throw error;
  } finally {
    cancellation.release();
  }
}

/**
 * Submits calls to tools that always defer to the gate. Calls that it rejects get their result.
 *
 * Nothing executes: without a decision, the gate permits none of these calls.
 */
export async function deferAlwaysDeferred(
  scope: ExecutionScope,
  calls: readonly CallInBatch[],
  into: BatchResults,
): Promise<void> {
  for (const request of calls) {
    const admission = await admit(scope, request, scope.cancellation);
    const argsValid = admission.kind !== 'rejected' || admission.argsValid;
    if (scope.observed) await scope.emit({ kind: 'tool-call', part: request.call, argsValid });
    if (admission.kind === 'permitted') continue;
    if (admission.kind === 'deferred') {
      into.deferrals[request.index] = deferralOf(admission, true);
    } else {
      const result = toCallResult(scope, request.call, admission.outcome);
      into.results[request.index] = result;
      if (scope.observed) await emitResult(scope, result);
    }
  }
}

/**
 * Submits all calls to the gate, in order, and stores the deferrals. A decision that executes nothing is recorded
 * instead. Returns the calls that are not deferred.
 */
async function admitAll(
  batch: Batch,
  calls: readonly CallInBatch[],
  announce: boolean,
): Promise<QueuedCall[]> {
  const { scope, into } = batch;
  const queue: QueuedCall[] = [];
  for (const request of calls) {
    const { decided } = request;
    let admission: BatchAdmission;
    if (decided === undefined) {
      const decision = await admit(scope, request, batch.cancellation);
      admission =
        decision.kind === 'permitted' ? decision : unpermittedCall(scope, request, decision);
    } else if (scope.claims === undefined) {
      const outcome: DecidedOutcome = { kind: 'decided', result: decided };
      admission = { kind: 'settled', outcome, argsValid: undefined };
    } else {
      admission = await recordDecided(batch, request, decided);
    }
    const argsValid = 'argsValid' in admission ? admission.argsValid : true;
    const event = { kind: 'tool-call', part: request.call, argsValid } as const;
    if (announce && scope.observed) await scope.emit(event);
    if (admission.kind === 'deferred') {
      into.deferrals[request.index] = admission.deferral;
    } else if (admission.kind === 'settled') {
      try {
        const result = toCallResult(scope, request.call, admission.outcome);
        queue.push({ kind: 'settled', request, result });
      } catch (error) {
        // The only event about why the run ends.
        if (!announce && scope.observed) await scope.emit(event);
        throw error;
      }
    } else {
      queue.push(admission);
    }
  }
  // A decision or result that was supplied is kept even if the calls before it fail the run.
  for (const queued of queue) {
    if (queued.kind === 'settled' && queued.request.decided !== undefined) {
      into.results[queued.request.index] = queued.result;
    }
  }
  return queue;
}

/** Returns the admission of a call that the gate did not permit. */
function unpermittedCall(
  scope: ExecutionScope,
  request: CallInBatch,
  admission: Exclude<Admission<CallInBatch>, PermittedCall<CallInBatch>>,
): BatchAdmission {
  const withheld = withheldCall(scope, request, admission);
  if (withheld !== undefined) return withheld;
  if (admission.kind === 'deferred') {
    return { kind: 'deferred', deferral: deferralOf(admission, true), argsValid: true };
  }
  const argsValid = admission.kind !== 'rejected' || admission.argsValid;
  return { kind: 'settled', outcome: admission.outcome, argsValid };
}

/**
 * Records a decision that executes nothing in the ledger. The decision that holds may be an earlier one.
 *
 * This is a step: another process may change the entry before a replay reads it again.
 */
async function recordDecided(
  { scope, cancellation }: Batch,
  request: CallInBatch,
  result: CallResult,
): Promise<BatchAdmission> {
  const step = scope.environment.step(`decision:${request.call.toolName}`, () =>
    recordDecision(scope, request, { kind: 'decided', result }, cancellation),
  );
  const recorded = await cancellation.guard(step);
  if (recorded.kind === 'error') throw recorded.error;
  // The value of a recorded step is a copy, which is not frozen.
  const outcome = deepFreeze(recorded);
  if (outcome.kind !== 'deferred') return { kind: 'settled', outcome, argsValid: undefined };
  const details = redescribe(outcome, request.approvalRequest);
  const deferral = deferralOf({ outcome, checked: undefined, details }, details !== undefined);
  return { kind: 'deferred', deferral, argsValid: undefined };
}

/** Adds outputs to the calls, in the order of the response. */
function withOutputs(
  calls: readonly QueuedCall[],
  outputs: readonly OutputInBatch[],
): readonly QueuedWork[] {
  if (outputs.length === 0) return calls;
  const works: readonly QueuedWork[] = [
    ...calls,
    ...outputs.map((output) => ({ kind: 'output', output }) as const),
  ];
  return works.toSorted((a, b) => indexOf(a) - indexOf(b));
}

function indexOf(work: QueuedWork): number {
  return work.kind === 'output' ? work.output.index : work.request.index;
}

/**
 * Returns the calls in groups that execute in parallel. A call to a sequential tool forms its own
 * group.
 */
function parallelGroups(
  scope: ExecutionScope,
  calls: readonly QueuedWork[],
): readonly (readonly QueuedWork[])[] {
  const groups: QueuedWork[][] = [];
  let parallel: QueuedWork[] | undefined;
  for (const call of calls) {
    if (scope.parallelMode === 'sequential' || isSequential(scope, call)) {
      groups.push([call]);
      parallel = undefined;
    } else if (parallel === undefined) {
      parallel = [call];
      groups.push(parallel);
    } else {
      parallel.push(call);
    }
  }
  return groups;
}

function isSequential({ tools }: ExecutionScope, queued: QueuedWork): boolean {
  if (queued.kind === 'output') return queued.output.isSequential;
  const tool = queued.kind === 'settled' ? tools.get(queued.request.call.toolName) : queued.tool;
  return tool?.definition.sequential ?? false;
}

/** Executes calls in parallel, and stores and emits the outcome of each as it arrives. Results that are known come first. */
async function executeGroup(batch: Batch, group: readonly QueuedWork[]): Promise<void> {
  const { scope, into, cancellation } = batch;
  const isOrdered = scope.parallelMode === 'parallel-ordered-events';
  const emitting: Promise<void>[] = [];
  const emitLater: EmitEvent[] = [];
  const executing: { readonly admitted: AdmittedCall; readonly position: number }[] = [];
  const outputs: Promise<{ readonly error: unknown } | undefined>[] = [];
  for (const [position, queued] of group.entries()) {
    if (queued.kind === 'output') {
      outputs.push(queued.output.process());
      continue;
    }
    if (queued.kind !== 'settled') {
      executing.push({ admitted: queued, position });
      continue;
    }
    const { request, result } = queued;
    into.results[request.index] = result;
    if (scope.observed && isOrdered) emitLater[position] = () => emitResult(scope, result);
    else if (scope.observed) await emitResult(scope, result);
  }
  const started = executing.map(({ admitted }) =>
    admitted.kind === 'withheld' ? admitted.start(scope, cancellation) : startCall(scope, admitted),
  );

  const onEnd = (end: Outcome | void, index: number) => {
    // An outcome that arrives after the batch has failed has no effect.
    if (cancellation.cancelled) return;
    const call = invariant(executing[index], 'the environment reports calls of the group');
    const startedCall = invariant(started[index], 'every call of the group has started');
    const { outcome, isRecorded } = startedCall.finish(end);
    const result = store(batch, call.admitted, outcome);
    if (!scope.observed) return;
    if (isOrdered) {
      emitLater[call.position] = async () => {
        if (result !== undefined) await emitResult(scope, result, isRecorded);
      };
    } else if (result !== undefined) {
      const emission = emitResult(scope, result, isRecorded);
      emission.catch((error) => cancellation.cancel(error));
      emitting.push(emission);
    }
  };
  if (started.length > 0) {
    const ends = started.map(({ end }) => end);
    try {
      await cancellation.guard(scope.environment.all(ends, onEnd));
    } catch (error) {
      // Results after a call without one have no event, because the order would have a gap.
      for (const emit of batch.heldEvents === undefined ? emitLater : []) {
        if (emit === undefined) break;
        await emit();
      }
      throw error;
    }
  }
  // Not `environment.all`, which takes only promises of the environment. These never reject.
  for (const output of outputs) {
    const failure = await output;
    if (failure !== undefined) throw failure.error;
  }
  for (const emission of emitting) await emission;
  for (const [position, emit] of emitLater.entries()) {
    const queued = invariant(group[position], 'every event is of a call of the group');
    if (batch.heldEvents === undefined) await emit?.();
    else if (emit !== undefined) batch.heldEvents.set(indexOf(queued), emit);
  }
}

/** Stores the outcome of a call at its index. Returns its result, if it has one yet. */
function store(
  { scope, into }: Batch,
  admitted: AdmittedCall,
  outcome: Outcome,
): CallResult | undefined {
  const { call, index, approval } = admitted.request;
  if (outcome.kind === 'deferred') {
    into.deferrals[index] = deferralFrom(admitted, outcome);
    return undefined;
  }
  if (outcome.kind === 'parked') {
    into.deferrals[index] = { kind: 'sub-agent', messages: outcome.messages, approval };
    return undefined;
  }
  const result = toCallResult(scope, call, outcome);
  into.results[index] = result;
  return result;
}

/** Returns the deferral of a call that has started. The gate may have described the call before. */
function deferralFrom(admitted: AdmittedCall, outcome: DeferredOutcome): Deferral {
  const { approval } = admitted.request;
  const isWithheld = admitted.kind === 'withheld';
  const checked = isWithheld ? admitted.checked : admitted.permit;
  if (outcome.details !== undefined) {
    return deferralOf({ outcome, checked, details: outcome.details }, true);
  }
  const changedArgs = isWithheld
    ? (approval?.overrideArgs ?? approval?.request?.args)
    : admitted.changedArgs;
  const details =
    outcome.deferralKind === 'approval'
      ? withQuestion(withArgs(undefined, changedArgs), outcome, approval)
      : undefined;
  return deferralOf({ outcome, checked, details }, false);
}
