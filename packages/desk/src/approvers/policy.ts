import { EVERY_APPROVER, type ApproverRule, type Requirement } from '../model/approver-rule.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { JsonValue } from 'holdpoint';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import { awaitPolicy } from './ask-policy.ts';
import { type EffectiveCall, effectiveCallOf } from './effective-call.ts';
import type { ActingApprover, RolesOf } from './delegated.ts';
import { whyNotEligible } from './eligibility.ts';
import { withRequirement } from './requirements.ts';

/**
 * The approvers of calls: one rule for all tools, rules by tool name, or a function.
 *
 * In a record, `default` is for tools without their own rule. Without `default`, every approver may
 * decide their calls. A function returns a rule for every call: `{}` lets every approver decide. It
 * is evaluated each time a decision is recorded, on the validated arguments that would execute.
 */
export type Approvers<ToolName extends string = string> =
  | ApproverRule
  | { readonly [Name in ToolName | 'default']?: ApproverRule }
  | ((call: EffectiveCall) => ApproverRule);

/**
 * A function that returns `true` for a call that executes immediately. The audit records that it
 * would have been held.
 */
export type Shadow = (call: EffectiveCall) => boolean;

/** An approver as a policy sees them. */
export interface PolicyApprover {
  readonly tenant: string;
  readonly person: Person;
  readonly roles?: readonly string[] | undefined;
  /** The delegate who decides on behalf of this approver, with these roles. */
  readonly delegate?: Person | undefined;
  /** The person on whose behalf this approver decides, with the roles that the person lends. */
  readonly onBehalfOf?: Person | undefined;
}

/** A hold as a policy sees it: its arguments are the validated ones that would execute. */
export interface EffectiveHold extends HoldRow {
  /** The arguments as the model sent them, or as the author of an edit typed them. */
  readonly sentArgs: JsonValue;
}

/**
 * A function that returns `true` if an approver may decide a hold, through any channel. Any other
 * value rejects the decision. The function is called inside the transaction that records the
 * decision, so it must not call the desk. For a decision of a delegate it is called twice, and must
 * permit both the delegator and the delegate.
 */
export type MayDecide = (
  approver: PolicyApprover,
  hold: EffectiveHold,
  run: RunRow,
) => boolean | Promise<boolean>;

/** The policy of a desk, validated. */
export interface Policy {
  /** Returns the rule of the application for a call; `undefined` if the desk has no rules. */
  readonly ruleFor: (call: EffectiveCall) => Requirement | undefined;
  /** Set if every call demands separation of duties. */
  readonly notRequester: boolean;
  /** Each of them must return `true`. */
  readonly mayDecide: readonly MayDecide[];
  /** Returns the time until a hold expires, in milliseconds; `undefined` for no limit. */
  readonly expiresAfter: (call: EffectiveCall) => number | undefined;
  readonly isShadow: (call: EffectiveCall) => boolean;
  /** Returns the roles that a delegator, the person of a decision link, or an approver of a grant has now. */
  readonly rolesOf?: RolesOf | undefined;
}

/** The policy of a process that has none: the requirement that is stored with a hold decides. */
export const NO_POLICY: Policy = Object.freeze({
  ruleFor: () => undefined,
  notRequester: false,
  mayDecide: [],
  expiresAfter: () => undefined,
  isShadow: () => false,
});

/**
 * Returns the requirement of the policy for a call: the approvers, their number, and the permitted grants;
 * `undefined` if this process has no policy.
 */
export function requirementFor(policy: Policy, call: EffectiveCall): Requirement | undefined {
  const rule = policy.ruleFor(call);
  if (!policy.notRequester) return rule;
  return Object.freeze({ ...(rule ?? EVERY_APPROVER), notRequester: true });
}

/** Returns a hold with the requirement that the policy demands now for the call that would execute. */
export function withRequirementNow(policy: Policy, hold: HoldRow): HoldRow {
  const requirement = requirementFor(policy, effectiveCallOf(hold));
  return requirement === undefined ? hold : withRequirement(hold, requirement);
}

/** Returns why an approver may not decide a hold; `undefined` if its requirements and the policy let them. */
export async function whyNotDecide(
  policy: Policy,
  hold: HoldRow,
  approver: ActingApprover,
  runOf: () => RunRow | Promise<RunRow>,
): Promise<string | undefined> {
  const why = whyNotEligible(hold, approver);
  if (why !== undefined || policy.mayDecide.length === 0) return why;
  const { args, sentArgs, preview } = effectiveCallOf(hold);
  const effective: EffectiveHold = Object.freeze({ ...hold, args, sentArgs, preview });
  const run = await runOf();
  for (const mayDecide of policy.mayDecide) {
    for (const one of policyApproversOf(hold.tenant, approver)) {
      const isPermitted = await awaitPolicy('mayDecide', () => mayDecide(one, effective, run));
      if (isPermitted !== true) return 'The policy of this desk does not let you decide this hold.';
    }
  }
  return undefined;
}

/** Returns the approvers whom a policy must permit: a delegate decides with the lent roles, and so does the delegator. */
function policyApproversOf(
  tenant: string,
  { by, roles, onBehalfOf }: ActingApprover,
): readonly PolicyApprover[] {
  if (onBehalfOf === undefined) return [{ tenant, person: by, roles }];
  const { roles: lent, delegationId: _, ...delegator } = onBehalfOf;
  return [
    { tenant, person: delegator, roles: lent, delegate: by },
    { tenant, person: by, roles: lent, onBehalfOf: delegator },
  ];
}
