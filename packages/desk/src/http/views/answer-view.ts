import { z } from '@hono/zod-openapi';
import type { AnswerRow, HoldAnswer } from '../../model/answer-row.ts';
import { toJson } from '../../model/json.ts';
import type { Person } from '../../model/person.ts';
import type { Redaction } from '../../redaction/redaction.ts';
import type { Secrets } from '../../redaction/secrets.ts';
import { type HoldView, holdViewSchema } from './hold-view.ts';
import { jsonObjectSchema, jsonSchema, timeSchema } from './json-schema.ts';
import { personSchema } from './person-view.ts';

/** An answer as it was given. */
export interface AnswerView {
  readonly by: Person;
  readonly answer: HoldAnswer;
  /** What the person has looked at. */
  readonly digest: string;
  readonly at: number;
}

/** A hold with the answers to it. */
export interface AnsweredHoldView {
  readonly hold: HoldView;
  readonly answers: readonly AnswerView[];
}

const text = z.string().max(100_000);

/** What somebody can say to a hold. The desk checks it again, as it does for everybody. */
export const answerSchema: z.ZodType<HoldAnswer> = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('approve') }),
    z.strictObject({ kind: z.literal('edit'), args: jsonObjectSchema }),
    z.strictObject({ kind: z.literal('deny'), message: text.optional() }),
    z.strictObject({ kind: z.literal('result'), value: jsonSchema }),
    z.strictObject({ kind: z.literal('retry'), message: text }),
    z.strictObject({ kind: z.literal('fail'), message: text }),
  ])
  .openapi('Answer');

const answerViewSchema: z.ZodType<AnswerView> = z
  .strictObject({
    by: personSchema,
    answer: answerSchema,
    digest: z.string(),
    at: timeSchema,
  })
  .openapi('GivenAnswer');

export const answeredHoldSchema: z.ZodType<AnsweredHoldView> = z
  .strictObject({ hold: holdViewSchema, answers: z.array(answerViewSchema) })
  .openapi('AnsweredHold');

/** An answer to a call of a tool, without what people are not to see. */
export function answerView(
  { by, answer, digest, at }: AnswerRow,
  toolName: string,
  redaction: Redaction,
  secrets: Secrets,
): AnswerView {
  const shown =
    answer.kind === 'edit'
      ? { ...answer, args: redaction.argsOf({ toolName, args: answer.args }) }
      : answer;
  // An answer is JSON, and stays an answer of its kind: only what is said in it changes.
  const taken = { ...(secrets.takeOutOf(toJson(shown)) as object), kind: answer.kind };
  return { by, answer: taken as HoldAnswer, digest, at };
}
