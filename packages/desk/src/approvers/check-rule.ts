import { UserError } from 'holdpoint';
import { z } from 'zod';
import {
  EVERY_APPROVER,
  type ApproverRule,
  GRANT_SCOPES,
  type Requirement,
} from '../model/approver-rule.ts';
import { checkKeys } from '../model/check-keys.ts';
import { requirePlainId } from './same-person.ts';

const name = z.string().min(1).max(200);

const members = {
  roles: z.array(name).min(1).optional(),
  people: z.array(name).min(1).optional(),
  count: z.int().min(1).max(100).optional(),
  notRequester: z.boolean().optional(),
  decisionValidFor: z.number().positive().optional(),
  grants: z.enum(['never', ...GRANT_SCOPES]).optional(),
};

/** Unknown members are errors, because a misspelt member would silently weaken the rule. */
const ruleSchema = z.strictObject(members);

/** The members of a rule. */
export const RULE_MEMBERS: readonly string[] = Object.freeze(Object.keys(members));

/** Validates a rule, and returns it with its defaults. */
export function checkRule(what: string, rule: ApproverRule): Requirement {
  if (typeof rule === 'object' && rule !== null && !Array.isArray(rule)) {
    checkKeys(what, rule, RULE_MEMBERS);
  }
  const checked = ruleSchema.safeParse(rule);
  if (!checked.success) {
    throw new UserError(`${what} is not a valid rule. ${z.prettifyError(checked.error)}`);
  }
  const { roles, people, decisionValidFor, ...rest } = checked.data;
  for (const id of people ?? []) requirePlainId(`a person in ${what}`, { id });
  return Object.freeze({
    ...(roles !== undefined && { roles: Object.freeze([...new Set(roles)]) }),
    ...(people !== undefined && { people: Object.freeze([...new Set(people)]) }),
    count: rest.count ?? EVERY_APPROVER.count,
    notRequester: rest.notRequester ?? EVERY_APPROVER.notRequester,
    grants: rest.grants ?? EVERY_APPROVER.grants,
    ...(decisionValidFor !== undefined && { decisionValidFor }),
  });
}
