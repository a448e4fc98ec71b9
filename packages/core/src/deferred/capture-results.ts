import { frozenCopy, isPlainObject, type JsonValue, toFrozenJson } from '../internal/json.ts';
import { ModelRetry, ToolFailed, ToolReturn } from '../tools/signals.ts';
import { ToolApproved, ToolDenied, ToolExpired, ToolInput, ToolSuperseded } from './decisions.ts';
import { type RecordByKey, DeferredToolResults } from './results.ts';

/**
 * Copies decisions and results, so that later changes by the caller have no effect.
 *
 * It does not validate them: a run rejects the copy of an invalid value as well. A value that is
 * not a `DeferredToolResults` is returned unchanged.
 */
export function captureResults(given: DeferredToolResults): DeferredToolResults {
  if (!(given instanceof DeferredToolResults)) return given;
  const captured = new DeferredToolResults();
  for (const name of RECORDS) {
    // Each record is copied into the record of the same name, so the types agree.
    const record: RecordByKey<unknown> = captured[name];
    for (const id in given[name]) record[id] = captureOrKeep(given[name][id], CAPTURES[name]);
  }
  return captured;
}

const RECORDS = ['approvals', 'calls', 'metadata', 'digests'] as const;

/** The functions that copy the values of each record. */
const CAPTURES = {
  approvals: captureDecision,
  calls: captureResult,
  metadata: captureValue,
  digests: captureValue,
} as const;

/** Returns the value itself if it cannot be copied; the validation that follows rejects it. */
function captureOrKeep(value: unknown, capture: (value: unknown) => unknown): unknown {
  try {
    return capture(value);
  } catch {
    return value;
  }
}

function captureDecision(decision: unknown): unknown {
  if (decision instanceof ToolApproved) {
    const { overrideArgs, approval, reason, shown } = decision;
    return Object.freeze(
      new ToolApproved({
        overrideArgs: overrideArgs && captureObject(overrideArgs),
        approval: approval && captureObject(approval),
        reason,
        shown: shown && captureObject(shown),
      }),
    );
  }
  if (decision instanceof ToolDenied) {
    const { message } = decision;
    // Only `undefined` would be replaced by the default message.
    return message === undefined ? decision : Object.freeze(new ToolDenied(message));
  }
  if (decision instanceof ModelRetry) return captureError(decision, ModelRetry);
  if (decision instanceof ToolInput) {
    // Validation rejects a value that JSON cannot hold.
    return Object.freeze(new ToolInput(captureValue(decision.value) as JsonValue));
  }
  if (decision instanceof ToolExpired) {
    return Object.freeze(new ToolExpired({ message: decision.message }));
  }
  if (decision instanceof ToolSuperseded) {
    return Object.freeze(new ToolSuperseded({ message: decision.message }));
  }
  return decision;
}

function captureResult(result: unknown): unknown {
  if (result instanceof ToolReturn) {
    const { returnValue, content, metadata, tools } = result;
    return Object.freeze(
      new ToolReturn({
        returnValue: captureValue(returnValue),
        content: captureObject(content),
        metadata: metadata === undefined ? undefined : captureValue(metadata),
        tools: captureObject(tools),
      }),
    );
  }
  if (result instanceof ToolFailed) return captureError(result, ToolFailed);
  const decision = captureDecision(result);
  return decision === result ? captureValue(result) : decision;
}

function captureError(
  error: Error,
  type: new (message: string, options?: ErrorOptions) => Error,
): Error {
  const { message, cause } = error;
  if (typeof message !== 'string') return error;
  return Object.freeze(new type(message, cause === undefined ? undefined : { cause }));
}

/** Copies an object or an array. Other values are unchanged, so that validation rejects them. */
function captureObject<Value>(value: Value): Value {
  // A copy has the type of the value.
  return isPlainObject(value) || Array.isArray(value) ? (captureValue(value) as Value) : value;
}

/**
 * Copies data as JSON. Returns a value without a JSON form unchanged, so that validation rejects
 * it.
 */
function captureValue(value: unknown): unknown {
  try {
    return toFrozenJson(value, 'value');
  } catch {
    return frozenCopy(value);
  }
}
