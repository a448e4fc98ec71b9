import { isPlainObject, type JsonObject, type JsonValue } from '../messages/json.ts';
import type { CallResult } from './outcome.ts';
import type { ExecutionScope } from './scope.ts';

/**
 * The result of a call with the arguments that it ran with, where somebody has edited those that the
 * model sent: in the metadata of the result, under `holdpoint`. The model is told if the run says so.
 */
export function withEdit(
  { reportEditedArgs }: ExecutionScope,
  result: CallResult,
  executedArgs: JsonObject | undefined,
): CallResult {
  const { part, content } = result;
  if (executedArgs === undefined || part.kind !== 'tool-return') return result;
  const metadata = Object.freeze({
    ...metadataOf(part.metadata),
    holdpoint: Object.freeze({ executedArgs }),
  });
  const edited = { ...result, part: Object.freeze({ ...part, metadata }) };
  if (!reportEditedArgs) return edited;
  const told = `The call '${part.toolCallId}' of ${part.toolName} was run with other arguments: ${JSON.stringify(executedArgs)}`;
  const shown = content === undefined ? [] : [content.content].flat();
  return {
    ...edited,
    content: Object.freeze({ kind: 'user-prompt', content: Object.freeze([told, ...shown]) }),
  };
}

/** What the tool attached itself; what is no object is put into one. */
function metadataOf(metadata: JsonValue | undefined): JsonObject {
  if (metadata === undefined || metadata === null) return {};
  return isPlainObject(metadata) ? (metadata as JsonObject) : { value: metadata };
}
