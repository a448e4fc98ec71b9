import type { ToolCallPart } from '../messages/response-part.ts';
import {
  type CallResult,
  type DeferredOutcome,
  type Outcome,
  type ParkedOutcome,
  type RetryOutcome,
  resultOf,
} from './outcome.ts';
import type { ExecutionScope } from './scope.ts';

/** Counts an outcome and turns it into what the model is told; an error is thrown. */
export function settle(
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

/** Emits a result. `isRecorded`: it comes from a step that did not start in this attempt. */
export function emitResult(
  scope: ExecutionScope,
  result: CallResult,
  isRecorded = false,
): Promise<void> | undefined {
  if (!scope.observed) return undefined;
  const { part, content, delta } = result;
  const telling = scope.emit(
    content === undefined
      ? { kind: 'tool-result', part }
      : { kind: 'tool-result', part, content: content.content },
    isRecorded,
  );
  return delta === undefined
    ? telling
    : scope.emit({ kind: 'tools-available', part: delta }, isRecorded);
}
