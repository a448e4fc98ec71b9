import { UserError } from 'holdpoint';
import { z } from 'zod';
import type { HoldAnswer } from '../model/answer-row.ts';
import { toJson } from '../model/json.ts';
import type { Person } from '../model/person.ts';
import { requirePlainId } from '../approvers/same-person.ts';
import { GRANT_SCOPES } from '../model/approver-rule.ts';
import type { Remember } from '../model/remember.ts';
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

/** How an approval can be remembered. */
const rememberSchema: z.ZodType<Remember> = z.strictObject({
  match: z.union([
    z.enum(['tool', 'same-arguments']),
    z.strictObject({ args: z.record(z.string(), z.json()) }),
  ]),
  scope: z.enum(GRANT_SCOPES).optional(),
  expiresAfter: z.number().positive().optional(),
  uses: z.int().min(1).optional(),
});

/** What is to be remembered, checked, as frozen data. */
export function checkRemember(remember: unknown): Remember {
  const checked = rememberSchema.safeParse(remember);
  if (!checked.success) {
    throw new UserError(`This cannot be remembered: ${z.prettifyError(checked.error)}`);
  }
  // The schema says that it is JSON.
  return toJson(checked.data) as unknown as Remember;
}

/** The roles of whoever answers, checked. */
export function checkRoles(roles: readonly string[]): readonly string[] {
  const checked = z.array(z.string().min(1).max(200)).max(1_000).safeParse(roles);
  if (!checked.success)
    throw new UserError(`roles is no list of names: ${z.prettifyError(checked.error)}`);
  return Object.freeze(checked.data);
}

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
  requirePlainId(what, person);
  return Object.freeze({ id, ...(person.name !== undefined && { name: String(person.name) }) });
}
