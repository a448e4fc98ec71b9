import type { ApprovalDecision, ExternalResult } from '../../deferred/answers.ts';
import { DeferredToolResults } from '../../deferred/results.ts';
import { Trail } from '../../messages/codec/index.ts';
import type { JsonObject } from '../../messages/json.ts';
import { approvalAnswer, callAnswer } from './answers.ts';
import { openText, parseText, writeText } from './text.ts';
import { freeObject } from './wire/free-json.ts';
import { filled, objectOf, recordOf } from './wire/object.ts';
import type { Wire } from './wire/wire.ts';

const results: Wire<{
  readonly calls: Readonly<Record<string, ExternalResult>>;
  readonly approvals: Readonly<Record<string, ApprovalDecision>>;
  readonly metadata: Readonly<Record<string, JsonObject>>;
}> = objectOf({
  calls: filled(recordOf(callAnswer), () => ({})),
  approvals: filled(recordOf(approvalAnswer), () => ({})),
  metadata: filled(recordOf(freeObject), () => ({})),
});

/** Answers to deferred calls for Pydantic AI, as `DeferredToolResults` is dumped there. */
export interface PydanticResults {
  readonly calls: Readonly<Record<string, unknown>>;
  readonly approvals: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * The answers to deferred calls that Pydantic AI dumped, as text or parsed.
 *
 * Answers are taken by what they say they are: an approval is `true` and not `"yes"`, and an object
 * that calls itself an answer is a whole one. The first mistake is thrown as an
 * `InvalidJsonError` that names its place in the document.
 */
export function resultsFromPydantic(input: unknown): DeferredToolResults {
  const trail = new Trail();
  return new DeferredToolResults(results.load(openText(input, trail), trail));
}

/** Answers to deferred calls as the document that Pydantic AI loads. */
export function resultsToPydantic(answers: DeferredToolResults): PydanticResults {
  const document = results.dump(answers, new Trail());
  results.load(document, new Trail());
  // As that has just been loaded from it.
  return document as PydanticResults;
}

/** Answers from the JSON text that Pydantic AI dumped; see {@link resultsFromPydantic}. */
export function parsePydanticResults(json: string): DeferredToolResults {
  const trail = new Trail();
  return new DeferredToolResults(results.load(parseText(json, trail), trail));
}

/** Answers to deferred calls as the JSON text that Pydantic AI loads, big integers included. */
export function stringifyPydanticResults(answers: DeferredToolResults): string {
  return writeText(resultsToPydantic(answers));
}
