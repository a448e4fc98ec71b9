import { isPlainObject, type JsonObject, type JsonValue } from '../internal/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import {
  type CallResult,
  type ErrorOutcome,
  type FinalOutcome,
  resultOf,
} from '../outcomes/outcome.ts';
import type { ExecutionScope } from './scope.ts';

/** Returns the result of a call for the model, and counts its outcome. An error is thrown. */
export function toCallResult(
  scope: ExecutionScope,
  call: ToolCallPart,
  outcome: FinalOutcome | ErrorOutcome,
): CallResult {
  if (outcome.kind === 'error') throw outcome.error;
  const { toolName } = call;
  let final = outcome;
  if (outcome.kind === 'value') {
    scope.counter.succeeded(toolName);
    scope.usage.toolCalls += 1;
    if (outcome.tools !== undefined) final = { ...outcome, tools: scope.reveal(outcome.tools) };
  } else if (outcome.kind === 'retry' && !outcome.isFree) {
    const maxRetries = scope.tools.get(toolName)?.maxRetries ?? scope.toolRetries;
    scope.counter.failed(toolName, maxRetries, outcome);
  }
  const result = resultOf(call, final);
  const { executedArgs } = outcome;
  return executedArgs === undefined ? result : withExecutedArgs(scope, result, executedArgs);
}

/**
 * Adds the edited arguments that a call executed with to the metadata of the result, under `holdpoint`. The model
 * receives them if the run sets `reportEditedArgs`.
 */
function withExecutedArgs(
  { reportEditedArgs }: ExecutionScope,
  result: CallResult,
  executedArgs: JsonObject,
): CallResult {
  const { part, content } = result;
  if (part.kind !== 'tool-return') return result;
  const metadata = Object.freeze({
    ...toMetadataObject(part.metadata),
    holdpoint: Object.freeze({ executedArgs }),
  });
  const edited = { ...result, part: Object.freeze({ ...part, metadata }) };
  if (!reportEditedArgs) return edited;
  const notice = `The call '${part.toolCallId}' of ${part.toolName} was executed with edited arguments: ${JSON.stringify(executedArgs)}`;
  const shown = content === undefined ? [] : [content.content].flat();
  return {
    ...edited,
    content: Object.freeze({ kind: 'user-prompt', content: Object.freeze([notice, ...shown]) }),
  };
}

/** Returns the metadata of the tool as an object. A value that is no object becomes a member of one. */
function toMetadataObject(metadata: JsonValue | undefined): JsonObject {
  if (metadata === undefined || metadata === null) return {};
  return isPlainObject(metadata) ? (metadata as JsonObject) : { value: metadata };
}

/** Emits a result to the observers of a run. `isRecorded`: it comes from a step that did not start in this attempt. */
export async function emitResult(
  scope: ExecutionScope,
  { part, content, delta }: CallResult,
  isRecorded = false,
): Promise<void> {
  const shown = content === undefined ? {} : { content: content.content };
  const emitting = [scope.emit({ kind: 'tool-result', part, ...shown }, isRecorded)];
  // Emitted together: the result of a parallel call must not come between the two.
  if (delta !== undefined) {
    emitting.push(scope.emit({ kind: 'tools-available', part: delta }, isRecorded));
  }
  for (const emitted of emitting) await emitted;
}
