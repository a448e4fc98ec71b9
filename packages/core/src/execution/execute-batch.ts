import { Cancellation } from '../context/cancellation.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { startCall } from './execute-call.ts';
import { admit, type Permitted } from './gate.ts';
import { type CallResult, type Outcome, type RetryOutcome, resultOf } from './outcome.ts';
import type { ExecutionScope } from './scope.ts';

/** A call of a response and the place where its result goes. */
export interface PlacedCall {
  readonly call: ToolCallPart;
  /** The position of the call among the calls of its response. */
  readonly place: number;
}

interface AdmittedCall extends PlacedCall {
  readonly permitted: Permitted;
}

/**
 * Runs calls of one response and puts each result into its place as it comes.
 *
 * All calls pass the gate first, in order. Then they run together, but a call to a sequential tool
 * runs alone. When one throws, the others are cancelled and the error is thrown on.
 */
export async function executeBatch(
  scope: ExecutionScope,
  calls: readonly PlacedCall[],
  results: (CallResult | undefined)[],
): Promise<void> {
  const batch = new Cancellation(scope.cancellation);
  try {
    const admitted = await admitAll(scope, calls, results, batch);
    for (const segment of segmentsOf(scope, admitted)) {
      scope.cancellation.throwIfCancelled();
      await runSegment(scope, segment, results);
    }
  } catch (error) {
    batch.cancel(error);
    throw error;
  }
}

async function admitAll(
  scope: ExecutionScope,
  calls: readonly PlacedCall[],
  results: (CallResult | undefined)[],
  batch: Cancellation,
): Promise<AdmittedCall[]> {
  const admitted: AdmittedCall[] = [];
  const refused: { call: ToolCallPart; place: number; result: CallResult }[] = [];
  for (const { call, place } of calls) {
    const admission = await admit(scope, call, batch);
    if (admission.kind === 'permitted') {
      admitted.push({ call, place, permitted: admission });
    } else {
      refused.push({ call, place, result: settle(scope, call, admission.outcome) });
    }
    if (scope.observed) {
      const argsValid = admission.kind === 'permitted' || admission.argsValid;
      await scope.emit({ kind: 'tool-call', part: call, argsValid });
    }
  }
  for (const { place, result } of refused) {
    results[place] = result;
    await emitResult(scope, result);
  }
  return admitted;
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
  results: (CallResult | undefined)[],
): Promise<void> {
  const inOrder = scope.parallelMode === 'parallel-ordered-events';
  const told: (Promise<void> | undefined)[] = [];
  const running = segment.map(({ permitted }) => startCall(scope, permitted));
  const settled = scope.environment.all(
    running.map((call) => call.finished),
    (outcome, index) => {
      const { call, place } = segment[index]!;
      const result = settle(scope, call, running[index]!.conclude(outcome));
      results[place] = result;
      if (!inOrder) told.push(emitResult(scope, result));
    },
  );
  await scope.cancellation.guard(settled);
  if (inOrder) for (const { place } of segment) await emitResult(scope, results[place]!);
  for (const telling of told) await telling;
}

/** Counts an outcome and turns it into what the model is told; an error is thrown. */
export function settle(scope: ExecutionScope, call: ToolCallPart, outcome: Outcome): CallResult {
  if (outcome.kind === 'error') throw outcome.error;
  if (outcome.kind === 'retry') countFailure(scope, call.toolName, outcome);
  if (outcome.kind === 'value') {
    scope.counter.succeeded(call.toolName);
    scope.usage.addToolCall();
  }
  return resultOf(call, outcome);
}

function countFailure(scope: ExecutionScope, name: string, outcome: RetryOutcome): void {
  scope.counter.failed(name, scope.tools.get(name)?.maxRetries ?? scope.toolRetries, outcome);
}

function emitResult(scope: ExecutionScope, result: CallResult): Promise<void> | undefined {
  if (!scope.observed) return undefined;
  const { part, content } = result;
  return scope.emit(
    content === undefined
      ? { kind: 'tool-result', part }
      : { kind: 'tool-result', part, content: content.content },
  );
}
