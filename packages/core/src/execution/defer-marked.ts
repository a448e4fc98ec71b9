import { eachInTurn, later, type MaybePromise } from '../context/chain.ts';
import { type Admission, admit } from './gate.ts';
import { type BatchResults, deferralOf, type PlacedCall } from './placed-call.ts';
import type { ExecutionScope } from './scope.ts';
import { emitResult, settle } from './settle-call.ts';

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
