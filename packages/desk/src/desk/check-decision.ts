import { UserError } from 'holdpoint';
import { z } from 'zod';
import { requirePlainId } from '../approvers/same-person.ts';
import { GRANT_SCOPES } from '../model/approver-rule.ts';
import { checkOptions, isThenable, kindOf } from '../model/check-keys.ts';
import { MAX_WHOLE } from '../model/check-whole.ts';
import type { Decision } from '../model/decision-row.ts';
import type { GrantRequest } from '../model/grant-request.ts';
import { toJson } from '../model/json.ts';
import type { Person } from '../model/person.ts';
import type { ErasureOptions } from '../retention/erase.ts';
import { checkName } from './check-name.ts';

/** The schema of a decision. Unknown kinds and members are rejected. */
export const decisionSchema: z.ZodType<Decision> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('approve'),
    args: z.record(z.string(), z.json()).optional(),
    reason: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('deny'), reason: z.string().optional() }),
  z.strictObject({ kind: z.literal('input'), value: z.json() }),
  z.strictObject({ kind: z.literal('result'), value: z.json() }),
  z.strictObject({ kind: z.literal('retry'), message: z.string().regex(/\S/, 'must be a text') }),
  z.strictObject({ kind: z.literal('fail'), message: z.string() }),
]);

const grantRequestSchema: z.ZodType<GrantRequest> = z.strictObject({
  match: z.union([
    z.enum(['tool', 'same-arguments']),
    z.strictObject({ args: z.record(z.string(), z.json()) }),
  ]),
  scope: z.enum(GRANT_SCOPES).optional(),
  expiresAfter: z.int().min(1).max(MAX_WHOLE).optional(),
  uses: z.int().min(1).optional(),
});

/** Validates a decision, and returns it as frozen data. */
export function checkDecision(decision: unknown): Decision {
  // The schema accepts JSON only.
  return toJson(
    parsed('decision', decisionSchema, decision, adviceFor(decision)),
  ) as unknown as Decision;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  approve: "{ kind: 'approve', args: { euros: 40 } }",
  deny: "{ kind: 'deny', reason: 'Too much.' }",
  input: "{ kind: 'input', value: 'Paris' }",
  result: "{ kind: 'result', value: 'Done.' }",
  retry: "{ kind: 'retry', message: 'Which invoice is this for?' }",
  fail: "{ kind: 'fail', message: 'The bank rejected it.' }",
};

function adviceFor(decision: unknown): string {
  const kind = String(Object(decision).kind);
  const example = Object.hasOwn(EXAMPLES, kind) ? EXAMPLES[kind] : "{ kind: 'approve' }";
  return `Pass an object such as \`${example}\`.`;
}

/** Validates the request for a grant, and returns it as frozen data. */
export function checkGrantRequest(request: unknown): GrantRequest {
  // The schema accepts JSON only.
  return toJson(
    parsed('`grant`', grantRequestSchema, request, "Pass an object such as `{ match: 'tool' }`."),
  ) as unknown as GrantRequest;
}

/** Validates the roles of an approver. */
export function checkRoles(roles: readonly string[]): readonly string[] {
  const names = z.array(z.string().min(1).max(200)).max(1_000);
  return Object.freeze(parsed('`roles`', names, roles, 'Pass a list of texts.'));
}

function parsed<Value>(
  what: string,
  schema: z.ZodType<Value>,
  value: unknown,
  advice: string,
): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `\`${path.join('.')}\`: ${message}`,
  );
  throw new UserError(`Invalid ${what}: ${problems.join('; ')}. ${advice}`);
}

const MAX_REASON_LENGTH = 500;

/** Validates the options of an erasure. */
export function checkErasure(method: string, options: ErasureOptions): ErasureOptions {
  checkOptions<ErasureOptions>(`\`desk.${method}\``, options, { by: true, reason: true });
  const by = checkPerson('the person who erases', options.by);
  const schema = z.string().min(1).max(MAX_REASON_LENGTH);
  const advice = `Pass a text of at most ${MAX_REASON_LENGTH} characters.`;
  const reason = parsed('`reason`', schema, options.reason, advice);
  return Object.freeze({ by, reason });
}

/** Validates a person: the id must be a name that no other id resembles. */
export function checkPerson(what: string, person: Person): Person {
  // Programs without types may pass anything.
  const given: unknown = person;
  if (typeof given !== 'object' || given === null || isThenable(given)) {
    const advice = isThenable(given) ? 'Did you forget `await`?' : 'Pass an object with an `id`.';
    throw new UserError(`T${what.slice(1)} is ${kindOf(given)}. ${advice}`);
  }
  const id = checkName(`id of ${what}`, person.id);
  requirePlainId(what, person);
  return Object.freeze({ id, ...(person.name !== undefined && { name: String(person.name) }) });
}
