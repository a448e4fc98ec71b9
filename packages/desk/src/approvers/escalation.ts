import type { EscalationStep, Requirement } from '../model/approver-rule.ts';

/**
 * Returns a requirement with the approvers whom the steps up to an age add. A step changes nothing else, so it cannot
 * weaken the requirement.
 */
export function withStepsUpTo(requirement: Requirement, ageMs: number | undefined): Requirement {
  const { roles, people, escalate = [] } = requirement;
  // A requirement that names no one accepts every approver. Names would make it narrower.
  if (ageMs === undefined || (roles === undefined && people === undefined)) return requirement;
  const reached = escalate.filter(({ afterMs }) => afterMs <= ageMs);
  if (reached.length === 0) return requirement;
  return {
    ...requirement,
    ...addedNames('roles', roles, reached),
    ...addedNames('people', people, reached),
  };
}

function addedNames(
  kind: 'roles' | 'people',
  names: readonly string[] = [],
  steps: readonly EscalationStep[],
): Pick<Requirement, 'roles' | 'people'> {
  const all = [...new Set([...names, ...steps.flatMap(({ also }) => also[kind] ?? [])])];
  return all.length === 0 ? {} : { [kind]: all };
}
