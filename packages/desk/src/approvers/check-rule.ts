import { UserError } from 'holdpoint';
import { z } from 'zod';
import {
  EVERY_APPROVER,
  type ApproverRule,
  GRANT_SCOPES,
  type Requirement,
} from '../model/approver-rule.ts';
import { checkKeys, isRecord, isThenable, kindOf } from '../model/check-keys.ts';
import { requirePlainId } from './same-person.ts';

const name = z.string().min(1).max(200);

const MAX_STEPS = 20;

/** An age of a hold, in milliseconds. Timers beyond a year are mistakes. */
const age = z
  .int()
  .positive()
  .max(366 * 24 * 60 * 60_000);

const step = z.strictObject({
  afterMs: age,
  also: z
    .strictObject({
      roles: z.array(name).min(1).optional(),
      people: z.array(name).min(1).optional(),
    })
    .refine(({ roles, people }) => roles !== undefined || people !== undefined, {
      error: 'names no approver. Pass `roles` or `people`',
    }),
});

const members = {
  roles: z.array(name).min(1).optional(),
  people: z.array(name).min(1).optional(),
  count: z.int().min(1).max(100).optional(),
  notRequester: z.boolean().optional(),
  decisionValidFor: z.number().positive().optional(),
  grants: z.enum(['never', ...GRANT_SCOPES]).optional(),
  escalate: z.array(step).min(1).max(MAX_STEPS).optional(),
  remindAfterMs: z.array(age).min(1).max(MAX_STEPS).optional(),
};

/** Unknown members are errors, because a misspelt member would silently weaken the rule. */
const ruleSchema = z.strictObject(members);

/** The members of a rule. */
export const RULE_MEMBERS: readonly string[] = Object.freeze(Object.keys(members));

/** Validates a rule, and returns it with its defaults. */
export function checkRule(what: string, rule: ApproverRule): Requirement {
  if (!isRecord(rule)) {
    const advice = isThenable(rule) ? 'Did you forget `await`?' : 'Pass an object.';
    throw new UserError(`${what} is not a valid rule: it is ${kindOf(rule)}. ${advice}`);
  }
  checkKeys(what, rule, RULE_MEMBERS);
  requireDefined(what, rule);
  const checked = ruleSchema.safeParse(rule);
  if (!checked.success) {
    const problems = checked.error.issues.map(
      ({ path, message }) => `\`${path.join('.')}\`: ${message}`,
    );
    const advice = "Pass a rule such as `{ roles: ['manager'], count: 2 }`.";
    throw new UserError(`${what} is not a valid rule. ${problems.join('; ')}. ${advice}`);
  }
  const { roles, people, decisionValidFor, escalate, remindAfterMs, ...rest } = checked.data;
  const added = escalate?.flatMap(({ also }) => also.people ?? []) ?? [];
  for (const id of [...(people ?? []), ...added]) {
    requirePlainId(`a person in ${what}`, { id });
  }
  if (escalate !== undefined && roles === undefined && people === undefined) {
    throw new UserError(
      `${what} has \`escalate\` but no \`roles\` or \`people\`, so every approver may decide from the beginning. ` +
        'Pass `roles` or `people`, or leave `escalate` out.',
    );
  }
  return Object.freeze({
    ...(roles !== undefined && { roles: Object.freeze([...new Set(roles)]) }),
    ...(people !== undefined && { people: Object.freeze([...new Set(people)]) }),
    count: rest.count ?? EVERY_APPROVER.count,
    notRequester: rest.notRequester ?? EVERY_APPROVER.notRequester,
    grants: rest.grants ?? EVERY_APPROVER.grants,
    ...(decisionValidFor !== undefined && { decisionValidFor }),
    ...(escalate !== undefined && { escalate: Object.freeze(escalate) }),
    ...(remindAfterMs !== undefined && { remindAfterMs: Object.freeze(remindAfterMs) }),
  });
}

/** The members without which a rule is weaker. */
const RESTRICTING = ['roles', 'people', 'count', 'notRequester'] as const;

/** Rejects a member that is set to `undefined`, such as the result of a lookup: the rule would be weaker unnoticed. */
function requireDefined(what: string, rule: ApproverRule): void {
  const missing = RESTRICTING.find((member) => member in rule && rule[member] === undefined);
  if (missing === undefined) return;
  throw new UserError(
    `${what} has \`${missing}: undefined\`, so more approvers could decide than you may expect. ` +
      `Pass a value, or leave \`${missing}\` out.`,
  );
}
