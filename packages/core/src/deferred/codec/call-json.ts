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
import {
  type ExternalResult,
  isRetryPrompt,
  isUndecided,
  ToolExpired,
  ToolSuperseded,
} from '../decisions.ts';
import {
  type ExpiredJson,
  type RetryJson,
  retryJsonFormat,
  type SupersededJson,
  undecidedFormats,
} from './approval-json.ts';

/**
 * The result of an external call, as JSON.
 *
 * Each has a `kind`, so that a plain value that resembles another kind of result is still a value.
 */
export type CallJson =
  | ResultJson
  | RetryJson
  | FailJson
  | ExpiredJson
  | SupersededJson
  | RetryPromptPart;

/** A result as JSON. */
export interface ResultJson {
  readonly kind: 'result';
  readonly value: JsonValue;
  readonly content?: UserPrompt | undefined;
  readonly metadata?: JsonValue | undefined;
  readonly tools?: readonly string[] | undefined;
}

/** A failure as JSON. */
export interface FailJson {
  readonly kind: 'fail';
  readonly message: string;
}

const callJsonFormat = unionOf<CallJson>({
  result: exactVariantOf<ResultJson>('result', {
    value: jsonFormat,
    content: optional(userPromptFormat),
    metadata: optionalOrNull(jsonFormat),
    tools: optional(listOf(stringFormat)),
  }),
  retry: retryJsonFormat,
  fail: exactVariantOf<FailJson>('fail', { message: stringFormat }),
  ...undecidedFormats,
  'retry-prompt': retryPromptFormat,
});

/** The result of an external call. */
export const externalResultFormat: Format<ExternalResult> = {
  read(value, path) {
    const json = callJsonFormat.read(value, path);
    switch (json.kind) {
      case 'result':
        return resultFromJson(json);
      case 'retry':
        return new ModelRetry(json.message);
      case 'fail':
        return new ToolFailed(json.message);
      case 'expire':
        return new ToolExpired(json.message);
      case 'supersede':
        return new ToolSuperseded(json.message);
      case 'retry-prompt':
        return json;
    }
  },
  // The union validates the result, which the caller may have typed incorrectly.
  write: (result, path) => callJsonFormat.write(toCallJson(result, path), path),
};

/** Returns a plain value unchanged. A value that resembles a retry prompt is still a result. */
function resultFromJson({ value, content, metadata, tools }: ResultJson): ExternalResult {
  const isPlain = content === undefined && metadata === undefined && tools === undefined;
  if (isPlain && !isRetryPrompt(value)) return value;
  return new ToolReturn({ returnValue: value, content, metadata, tools });
}

/** Adds the kind to a result. Converts dates and the like to JSON, as a run does. */
function toCallJson(result: unknown, path: JsonPath): CallJson {
  if (isRetryPrompt(result)) return result;
  if (result instanceof ModelRetry) return { kind: 'retry', message: result.message };
  if (result instanceof ToolFailed) return { kind: 'fail', message: result.message };
  if (isUndecided(result)) return { kind: result.kind, message: result.message };
  if (!(result instanceof ToolReturn)) return { kind: 'result', value: toJsonValue(result, path) };
  const { returnValue, content, metadata, tools } = result;
  return {
    kind: 'result',
    value: toJsonValue(returnValue, path.at('returnValue')),
    content,
    metadata: metadata === undefined ? undefined : toJsonValue(metadata, path.at('metadata')),
    tools,
  };
}

function toJsonValue(value: unknown, path: JsonPath): JsonValue {
  return toFrozenJson(value, path.toString());
}
