import { canonicalJson } from 'holdpoint/ledger';
import { EVERY_APPROVER, GRANT_SCOPES, type Requirement } from '../model/approver-rule.ts';
import { editedArgs } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import { withStepsUpTo } from './escalation.ts';

/** The members of a hold that determine its requirements. */
export type RequiringHold = Pick<
  HoldRow,
  'approvers' | 'requirements' | 'proposal' | 'question' | 'escalatedAfter'
>;

/**
 * Returns everything that a decision about a hold must meet: the requirement that it was opened with, those
 * of later versions of the policy, and those of the edit that would execute. All of them must be met. Each has the
 * approvers whom the steps of escalation have added.
 *
 * Separation of duties does not apply to a question: an input is not an approval, and the requester often is the only
 * person who has the information. It does apply if the input would change a call that approvers have approved.
 */
export function requirementsOf(hold: RequiringHold): readonly Requirement[] {
  const { question, escalatedAfter } = hold;
  const stored = storedRequirements(hold);
  const escalated = stored.map((one) => withStepsUpTo(one, escalatedAfter));
  if (question === undefined || question.isAfterApproval) return escalated;
  return distinct(escalated.map((one) => ({ ...one, notRequester: false })));
}

/** Returns the requirements of a hold without the steps of escalation. */
export function storedRequirements({
  approvers = EVERY_APPROVER,
  requirements = [],
  proposal,
}: Omit<RequiringHold, 'escalatedAfter'>): readonly Requirement[] {
  return distinct([approvers, ...requirements, ...(proposal?.requirements ?? [])]);
}

/** Adds a requirement of the effective call. Requirements of an open hold are only added, never removed. */
export function withRequirement<Hold extends RequiringHold>(
  hold: Hold,
  requirement: Requirement,
): Hold {
  if (storedRequirements(hold).some((known) => isSame(known, requirement))) return hold;
  const { proposal, requirements = [] } = hold;
  if (proposal === undefined || editedArgs(proposal.decision) === undefined) {
    return { ...hold, requirements: [...requirements, requirement] };
  }
  const added = [...(proposal.requirements ?? []), requirement];
  return { ...hold, proposal: { ...proposal, requirements: added } };
}

/** Returns whether one of the requirements demands separation of duties. */
export function needsSeparation(requirements: readonly Requirement[]): boolean {
  return requirements.some(({ notRequester }) => notRequester);
}

/** Returns the widest scope of grants that every requirement allows. */
export function widestGrant(requirements: readonly Requirement[]): Requirement['grants'] {
  const reaches = requirements.map(({ grants }) =>
    grants === 'never' ? -1 : GRANT_SCOPES.indexOf(grants),
  );
  return GRANT_SCOPES[Math.min(...reaches)] ?? 'never';
}

/** Returns the shortest time in which the requirements let a decided call start; `undefined` for no limit. */
export function shortestValidity(requirements: readonly Requirement[]): number | undefined {
  const limits = requirements.flatMap(({ decisionValidFor }) => decisionValidFor ?? []);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** Sums requirements up for people: the largest count, and all roles and people. Decisions do not use it. */
export function summaryOf(requirements: readonly Requirement[]): Requirement {
  const roles = new Set(requirements.flatMap((one) => one.roles ?? []));
  const people = new Set(requirements.flatMap((one) => one.people ?? []));
  const decisionValidFor = shortestValidity(requirements);
  return {
    ...(roles.size > 0 && { roles: [...roles] }),
    ...(people.size > 0 && { people: [...people] }),
    count: Math.max(...requirements.map(({ count }) => count)),
    notRequester: needsSeparation(requirements),
    grants: widestGrant(requirements),
    ...(decisionValidFor !== undefined && { decisionValidFor }),
  };
}

/** Returns whether two holds have the same requirements, in any order. */
export function haveSameRequirements(
  some: readonly Requirement[],
  others: readonly Requirement[],
): boolean {
  const areIn = (one: readonly Requirement[], list: readonly Requirement[]) =>
    one.every((requirement) => list.some((known) => isSame(known, requirement)));
  return areIn(some, others) && areIn(others, some);
}

function distinct(requirements: readonly Requirement[]): readonly Requirement[] {
  return requirements.filter(
    (one, index) => requirements.findIndex((other) => isSame(one, other)) === index,
  );
}

function isSame(one: Requirement, other: Requirement): boolean {
  return one === other || canonicalJson(toJson(one)) === canonicalJson(toJson(other));
}
