import {
  type Format,
  jsonFormat,
  type JsonPath,
  listOf,
  optional,
  optionalOrNull,
  retryPromptFormat,
  stringFormat,
  userPromptFormat,
} from '../../messages/codec/index.ts';
import { exactVariantOf } from '../../messages/codec/object-format.ts';
import { unionOf } from '../../messages/codec/union-format.ts';
import type { UserPrompt } from '../../messages/content.ts';
import { type JsonValue, toFrozenJson } from '../../internal/json.ts';
import type { RetryPromptPart } from '../../messages/request-part.ts';
import { ModelRetry, ToolFailed, ToolReturn } from '../../tools/signals.ts';
import { type CallAnswer, isRetryPrompt, ToolUnanswered } from '../answers.ts';
import { type UnansweredJson, unansweredFormat } from './approval-json.ts';

/**
 * The result of an external call, as JSON.
 *
 * Each has a `kind`, so that a plain value that looks like another kind of result stays a value.
 */
export type CallJson =
  | ValueJson
  | ToolReturnJson
  | ModelRetryJson
  | ToolFailedJson
  | UnansweredJson
  | RetryPromptPart;

interface ValueJson {
  readonly kind: 'value';
  readonly value: JsonValue;
}

interface ToolReturnJson {
  readonly kind: 'tool-return';
  readonly returnValue: JsonValue;
  readonly content?: UserPrompt | undefined;
  readonly metadata?: JsonValue | undefined;
  readonly tools?: readonly string[] | undefined;
}

interface ModelRetryJson {
  readonly kind: 'model-retry';
  readonly message: string;
}

interface ToolFailedJson {
  readonly kind: 'tool-failed';
  readonly message: string;
}

const callJsonFormat = unionOf<CallJson>({
  value: exactVariantOf<ValueJson>('value', { value: jsonFormat }),
  'tool-return': exactVariantOf<ToolReturnJson>('tool-return', {
    returnValue: jsonFormat,
    content: optional(userPromptFormat),
    metadata: optionalOrNull(jsonFormat),
    tools: optional(listOf(stringFormat)),
  }),
  'model-retry': exactVariantOf<ModelRetryJson>('model-retry', { message: stringFormat }),
  'tool-failed': exactVariantOf<ToolFailedJson>('tool-failed', { message: stringFormat }),
  'tool-unanswered': unansweredFormat,
  'retry-prompt': retryPromptFormat,
});

/** The result of an external call. */
export const callResultFormat: Format<CallAnswer> = {
  read(value, path) {
    const json = callJsonFormat.read(value, path);
    switch (json.kind) {
      case 'value':
        // A result stays a result, even if it looks like a retry prompt.
        return isRetryPrompt(json.value) ? new ToolReturn({ returnValue: json.value }) : json.value;
      case 'tool-return': {
        const { kind: _, ...options } = json;
        return new ToolReturn(options);
      }
      case 'model-retry':
        return new ModelRetry(json.message);
      case 'tool-failed':
        return new ToolFailed(json.message);
      case 'tool-unanswered':
        return new ToolUnanswered({ reason: json.reason, message: json.message });
      case 'retry-prompt':
        return json;
    }
  },
  // The union validates the result, which the caller may have typed incorrectly.
  write: (result, path) => callJsonFormat.write(withKind(result, path), path),
};

/** Adds the kind to a result. Converts dates and the like to JSON, as a run does. */
function withKind(result: unknown, path: JsonPath): CallJson {
  if (isRetryPrompt(result)) return result;
  if (result instanceof ModelRetry) return { kind: 'model-retry', message: result.message };
  if (result instanceof ToolFailed) return { kind: 'tool-failed', message: result.message };
  if (result instanceof ToolUnanswered) {
    const { kind, reason, message } = result;
    return { kind, reason, message };
  }
  if (!(result instanceof ToolReturn)) return { kind: 'value', value: toJson(result, path) };
  const { returnValue, content, metadata, tools } = result;
  return {
    kind: 'tool-return',
    returnValue: toJson(returnValue, path.at('returnValue')),
    content,
    metadata: metadata === undefined ? undefined : toJson(metadata, path.at('metadata')),
    tools,
  };
}

function toJson(value: unknown, path: JsonPath): JsonValue {
  return toFrozenJson(value, path.toString());
}
