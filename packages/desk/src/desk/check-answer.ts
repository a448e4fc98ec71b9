import { UserError } from 'holdpoint';
import { z } from 'zod';
import type { HoldAnswer } from '../model/answer-row.ts';
import { toJson } from '../model/json.ts';
import type { Person } from '../model/person.ts';
import { checkName } from './check-name.ts';

/** What an answer must look like. Answers come from outside: what nobody knows is refused. */
export const holdAnswerSchema: z.ZodType<HoldAnswer> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('approve') }),
  z.strictObject({ kind: z.literal('edit'), args: z.record(z.string(), z.json()) }),
  z.strictObject({ kind: z.literal('deny'), message: z.string().optional() }),
  z.strictObject({ kind: z.literal('result'), value: z.json() }),
  z.strictObject({ kind: z.literal('retry'), message: z.string() }),
  z.strictObject({ kind: z.literal('fail'), message: z.string() }),
]);

/** An answer, checked, as frozen data. */
export function checkAnswer(answer: unknown): HoldAnswer {
  const checked = holdAnswerSchema.safeParse(answer);
  if (!checked.success) throw new UserError(`This is no answer: ${z.prettifyError(checked.error)}`);
  // The schema says that it is JSON.
  return toJson(checked.data) as unknown as HoldAnswer;
}

/** A person, checked: somebody has to have a name. */
export function checkPerson(what: string, person: Person): Person {
  const id = checkName(`id of ${what}`, person?.id);
  return Object.freeze({ id, ...(person.name !== undefined && { name: String(person.name) }) });
}
