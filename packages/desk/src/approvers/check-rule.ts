import { UserError } from 'holdpoint';
import { z } from 'zod';
import {
  ANYBODY,
  type ApproverRule,
  GRANT_SCOPES,
  type HoldApprovers,
} from '../model/approver-rule.ts';

/** Members that nobody knows are refused: a misspelt one would have been what mattered. */
const ruleSchema = z.strictObject({
  roles: z.array(z.string().min(1).max(200)).min(1).optional(),
  count: z.int().min(1).max(100).optional(),
  notRequester: z.boolean().optional(),
  decisionValidFor: z.number().positive().optional(),
  remember: z.enum(['never', ...GRANT_SCOPES]).optional(),
});

/** A rule, checked, as it is stored. */
export function checkRule(what: string, rule: ApproverRule): HoldApprovers {
  const checked = ruleSchema.safeParse(rule);
  if (!checked.success) {
    throw new UserError(`${what} is no rule: ${z.prettifyError(checked.error)}`);
  }
  const { roles, decisionValidFor, ...rest } = checked.data;
  return Object.freeze({
    ...(roles !== undefined && { roles: Object.freeze([...new Set(roles)]) }),
    count: rest.count ?? ANYBODY.count,
    notRequester: rest.notRequester ?? ANYBODY.notRequester,
    remember: rest.remember ?? ANYBODY.remember,
    ...(decisionValidFor !== undefined && { decisionValidFor }),
  });
}
