import { listOf, optional, readRetryPrompt, type Trail } from '../../messages/codec/index.ts';
import { byKind, type Read, readString } from '../../messages/codec/read.ts';
import { readUserPrompt } from '../../messages/codec/read-content.ts';
import { readJson } from '../../messages/codec/read-json.ts';
import { optionalOrNull } from '../../messages/codec/read-object.ts';
import type { UserPrompt } from '../../messages/content.ts';
import { type JsonValue, toFrozenJson } from '../../messages/json.ts';
import type { RetryPromptPart } from '../../messages/request-part.ts';
import { ModelRetry, ToolFailed, ToolReturn } from '../../tools/signals.ts';
import { type CallAnswer, isRetryPrompt, ToolUnanswered } from '../answers.ts';
import { readUnanswered, type UnansweredJson } from './approval-json.ts';
import { placeOf } from './by-id.ts';
import { exactly } from './exactly.ts';

/**
 * An answer to a call whose result comes from somewhere else, as JSON.
 *
 * Every answer says its kind, so that a result which looks like another kind of answer stays a result.
 */
export type CallJson =
  | ValueJson
  | ToolReturnJson
  | ModelRetryJson
  | ToolFailedJson
  | UnansweredJson
  | RetryPromptPart;

/** The JSON of a plain result. */
export interface ValueJson {
  readonly kind: 'value';
  readonly value: JsonValue;
}

/** The JSON of a `ToolReturn`. */
export interface ToolReturnJson {
  readonly kind: 'tool-return';
  readonly returnValue: JsonValue;
  readonly content?: UserPrompt | undefined;
  readonly metadata?: JsonValue | undefined;
  readonly tools?: readonly string[] | undefined;
}

/** The JSON of a result that asks the model to try again. */
export interface ModelRetryJson {
  readonly kind: 'model-retry';
  readonly message: string;
}

/** The JSON of a result that reports a failure. */
export interface ToolFailedJson {
  readonly kind: 'tool-failed';
  readonly message: string;
}

const readCallJson: Read<CallJson> = byKind<CallJson>({
  value: exactly<ValueJson>('value', { value: readJson }),
  'tool-return': exactly<ToolReturnJson>('tool-return', {
    returnValue: readJson,
    content: optional(readUserPrompt),
    metadata: optionalOrNull(readJson),
    tools: optional(listOf(readString)),
  }),
  'model-retry': exactly<ModelRetryJson>('model-retry', { message: readString }),
  'tool-failed': exactly<ToolFailedJson>('tool-failed', { message: readString }),
  'tool-unanswered': readUnanswered,
  'retry-prompt': readRetryPrompt,
});

/** Reads an answer to an external call. */
export function readCallAnswer(value: unknown, trail: Trail): CallAnswer {
  const json = readCallJson(value, trail);
  switch (json.kind) {
    case 'value':
      // A result stays one, even if it looks like a retry prompt.
      return isRetryPrompt(json.value) ? new ToolReturn({ returnValue: json.value }) : json.value;
    case 'tool-return': {
      const { returnValue, content, metadata, tools } = json;
      return new ToolReturn({ returnValue, content, metadata, tools });
    }
    case 'model-retry':
      return new ModelRetry(json.message);
    case 'tool-failed':
      return new ToolFailed(json.message);
    case 'tool-unanswered': {
      const { reason, message } = json;
      return new ToolUnanswered({ reason, message });
    }
    case 'retry-prompt':
      return json;
  }
}

/** An answer to an external call as JSON. */
export function callToJson(answer: unknown, trail: Trail, id: string): CallJson {
  return readCallJson(isRetryPrompt(answer) ? answer : tagged(answer, placeOf('calls', id)), trail);
}

/** An answer with its kind. Values are as a run takes them: dates and the like become what JSON has for them. */
function tagged(answer: unknown, place: string): object {
  if (answer instanceof ModelRetry) return { kind: 'model-retry', message: answer.message };
  if (answer instanceof ToolFailed) return { kind: 'tool-failed', message: answer.message };
  if (answer instanceof ToolUnanswered) {
    const { kind, reason, message } = answer;
    return { kind, reason, message };
  }
  if (!(answer instanceof ToolReturn)) return { kind: 'value', value: toFrozenJson(answer, place) };
  const { returnValue, content, metadata, tools } = answer;
  return {
    kind: 'tool-return',
    returnValue: toFrozenJson(returnValue, `${place}.returnValue`),
    content,
    metadata: metadata === undefined ? undefined : toFrozenJson(metadata, `${place}.metadata`),
    tools,
  };
}
