import { UserError } from 'holdpoint';
import { askPolicy } from '../approvers/ask-policy.ts';
import { checkRule } from '../approvers/check-rule.ts';
import type { RolesOf } from '../approvers/delegated.ts';
import type { EffectiveCall } from '../approvers/effective-call.ts';
import type { Approvers, MayDecide, Policy, Shadow } from '../approvers/policy.ts';
import { PolicyError } from '../errors/policy-error.ts';
import { EVERY_APPROVER, type ApproverRule, type Requirement } from '../model/approver-rule.ts';
import {
  checkFunction,
  checkOptions,
  checkSwitch,
  isRecord,
  isThenable,
  kindOf,
} from '../model/check-keys.ts';
import { checkWhole } from '../model/check-whole.ts';

/** The time until a hold expires. */
export type Expiry = number | ((call: EffectiveCall) => number | undefined) | undefined;

/** The options of a desk that make its policy. */
export interface PolicyOptions {
  readonly expiresAfter?: Expiry;
  readonly approvers?: Approvers | undefined;
  readonly shadow?: Shadow | undefined;
  readonly mayDecide?: MayDecide | undefined;
  readonly notRequester?: boolean | undefined;
  readonly rolesOf?: RolesOf | undefined;
}

/** The key of the rule for tools that have no rule of their own. */
const DEFAULT_RULE = 'default';

/** Creates the policy of a desk. Everything that does not depend on a call is validated now. */
export function policyOf(...all: readonly PolicyOptions[]): Policy {
  const { expiresAfter, approvers, shadow, rolesOf } = all[0] ?? {};
  return Object.freeze({
    ruleFor: rulesOf(approvers),
    notRequester: all.some((one) => checkSwitch('notRequester', one.notRequester)),
    mayDecide: all.flatMap((one) => checkFunction('mayDecide', one.mayDecide) ?? []),
    expiresAfter: expiryOf(expiresAfter),
    isShadow: shadowOf(checkFunction('shadow', shadow)),
    rolesOf: checkFunction('rolesOf', rolesOf),
  });
}

/** Validates further rules. Returns false without rules. A misspelt rule would restrict nothing. */
export function isRestriction(rules: Pick<PolicyOptions, 'mayDecide' | 'notRequester'>): boolean {
  checkOptions<Pick<PolicyOptions, 'mayDecide' | 'notRequester'>>('`desk.restrictedBy`', rules, {
    mayDecide: true,
    notRequester: true,
  });
  return checkSwitch('notRequester', rules.notRequester) || rules.mayDecide !== undefined;
}

/** Adds rules to a policy. All of them apply. */
export function restrictedBy(
  policy: Policy,
  { mayDecide, notRequester }: Pick<PolicyOptions, 'mayDecide' | 'notRequester'>,
): Policy {
  const own = policyOf({ mayDecide, notRequester });
  return Object.freeze({
    ...policy,
    notRequester: policy.notRequester || own.notRequester,
    mayDecide: [...policy.mayDecide, ...own.mayDecide],
  });
}

/** Returns the names of tools with rules, or `undefined` without a record of rules. */
export function ruledTools(approvers: Approvers | undefined): readonly string[] | undefined {
  if (typeof approvers === 'function' || !isRecord(approvers)) return undefined;
  if (!isByTool(approvers)) return undefined;
  return Object.keys(approvers).filter((name) => name !== DEFAULT_RULE);
}

function rulesOf(approvers: Approvers | undefined): Policy['ruleFor'] {
  if (approvers === undefined) return () => undefined;
  if (typeof approvers === 'function') return (call) => ruleOf(approvers, call);
  if (!isRecord(approvers)) {
    const advice = isThenable(approvers)
      ? 'Did you forget `await`?'
      : 'Pass a rule, a record of rules by the names of tools, or a function that returns a rule.';
    throw new UserError(`\`approvers\` is ${kindOf(approvers)}. ${advice}`);
  }
  if (!isByTool(approvers)) {
    const rule = checkRule('`approvers`', approvers);
    return () => rule;
  }
  const rules = new Map<string, Requirement>(
    Object.entries(approvers).map(([name, rule]) => [
      name,
      checkRule(`\`approvers.${name}\``, rule),
    ]),
  );
  const others = rules.get(DEFAULT_RULE) ?? EVERY_APPROVER;
  return ({ toolName }) => rules.get(toolName) ?? others;
}

/** Evaluates a function of the application. A missing rule is an error, because it must not let every approver decide. */
function ruleOf(
  approvers: (call: EffectiveCall) => ApproverRule,
  call: EffectiveCall,
): Requirement {
  const rule: unknown = askPolicy('approvers', () => approvers(call));
  const what = `the rule that \`approvers\` returned for tool \`${call.toolName}\``;
  if (rule === undefined || rule === null) {
    throw new PolicyError(
      `\`approvers\` returned no rule for tool \`${call.toolName}\`, so the call stays undecided. ` +
        'Return {} to let every approver decide.',
    );
  }
  if (isThenable(rule)) {
    throw new PolicyError(`${what} is a promise. Return a rule: \`approvers\` must not be async.`);
  }
  try {
    // `checkRule` validates it.
    return checkRule(what, rule as ApproverRule);
  } catch (error) {
    throw new PolicyError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Only rules are objects; the members of a rule are not. */
function isByTool(
  approvers: ApproverRule | Readonly<Record<string, ApproverRule>>,
): approvers is Readonly<Record<string, ApproverRule>> {
  const values: readonly unknown[] = Object.values(approvers);
  return values.some((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
}

function shadowOf(shadow: Shadow | undefined): Policy['isShadow'] {
  if (shadow === undefined) return () => false;
  return (call) =>
    call.kind === 'approval' &&
    call.inDoubt === undefined &&
    // Only `true` is accepted.
    askPolicy('shadow', () => shadow(call)) === true;
}

function expiryOf(expiresAfter: Expiry): Policy['expiresAfter'] {
  if (typeof expiresAfter !== 'function') {
    // A call in doubt does not expire by default, because an expiry does not resolve the doubt.
    return ({ inDoubt }) => (inDoubt === undefined ? expiresAfter : undefined);
  }
  return (call) => {
    const ms = askPolicy('expiresAfter', () => expiresAfter(call));
    return ms === undefined ? undefined : checkWhole('What `expiresAfter` returned', ms);
  };
}
