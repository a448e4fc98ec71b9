import { listOf, optional, readRetryPrompt, type Trail } from '../../messages/codec/index.ts';
import { byKind, type Read, readString } from '../../messages/codec/read.ts';
import { readUserPrompt } from '../../messages/codec/read-content.ts';
import { readJson } from '../../messages/codec/read-json.ts';
import { optionalOrNull } from '../../messages/codec/read-object.ts';
import type { UserPrompt } from '../../messages/content.ts';
import { type JsonValue, toFrozenJson } from '../../messages/json.ts';
import type { RetryPromptPart } from '../../messages/request-part.ts';
import { ModelRetry, ToolFailed, ToolReturn } from '../../tools/signals.ts';
import {
  type ExternalResult,
  isRetryPrompt,
  isUndecided,
  ToolExpired,
  ToolSuperseded,
} from '../answers.ts';
import { type ExpiredJson, type SupersededJson, undecidedReaders } from './approval-json.ts';
import { placeOf } from './by-id.ts';
import { exactly } from './exactly.ts';

/**
 * An answer to a call whose result comes from somewhere else, as JSON.
 *
 * Every answer says its kind, so that a result which looks like another kind of answer stays a result.
 */
export type CallJson =
  | ResultJson
  | RetryJson
  | FailJson
  | ExpiredJson
  | SupersededJson
  | RetryPromptPart;

interface ResultJson {
  readonly kind: 'result';
  readonly value: JsonValue;
  readonly content?: UserPrompt | undefined;
  readonly metadata?: JsonValue | undefined;
  readonly tools?: readonly string[] | undefined;
}

interface RetryJson {
  readonly kind: 'retry';
  readonly message: string;
}

interface FailJson {
  readonly kind: 'fail';
  readonly message: string;
}

const readCallJson: Read<CallJson> = byKind<CallJson>({
  result: exactly<ResultJson>('result', {
    value: readJson,
    content: optional(readUserPrompt),
    metadata: optionalOrNull(readJson),
    tools: optional(listOf(readString)),
  }),
  retry: exactly<RetryJson>('retry', { message: readString }),
  fail: exactly<FailJson>('fail', { message: readString }),
  ...undecidedReaders,
  'retry-prompt': readRetryPrompt,
});

/** Reads an answer to an external call. */
export function readExternalResult(value: unknown, trail: Trail): ExternalResult {
  const json = readCallJson(value, trail);
  switch (json.kind) {
    case 'result':
      return readResult(json);
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
}

/** Returns a value alone as it is, and a value with more, or one that resembles a retry prompt, as a `ToolReturn`. */
function readResult({ value, content, metadata, tools }: ResultJson): ExternalResult {
  const isValueOnly = content === undefined && metadata === undefined && tools === undefined;
  if (isValueOnly && !isRetryPrompt(value)) return value;
  return new ToolReturn({ returnValue: value, content, metadata, tools });
}

/** An answer to an external call as JSON. */
export function callToJson(answer: unknown, trail: Trail, id: string): CallJson {
  return readCallJson(isRetryPrompt(answer) ? answer : tagged(answer, placeOf('calls', id)), trail);
}

/** An answer with its kind. Values are as a run takes them: dates and the like become what JSON has for them. */
function tagged(answer: unknown, place: string): object {
  if (answer instanceof ModelRetry) return { kind: 'retry', message: answer.message };
  if (answer instanceof ToolFailed) return { kind: 'fail', message: answer.message };
  if (isUndecided(answer)) return { kind: answer.kind, message: answer.message };
  if (!(answer instanceof ToolReturn))
    return { kind: 'result', value: toFrozenJson(answer, place) };
  const { returnValue, content, metadata, tools } = answer;
  return {
    kind: 'result',
    value: toFrozenJson(returnValue, `${place}.returnValue`),
    content,
    metadata: metadata === undefined ? undefined : toFrozenJson(metadata, `${place}.metadata`),
    tools,
  };
}
