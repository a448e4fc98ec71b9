import type { Requirement } from '../model/approver-rule.ts';
import { editedArgs } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { isAccountId } from '../model/key-scope.ts';
import type { Person } from '../model/person.ts';
import type { Vote } from '../model/vote.ts';
import { requestersOf } from './effective-call.ts';
import { needsSeparation, requirementsOf, type RequiringHold } from './requirements.ts';
import { isSamePerson, personKey } from './same-person.ts';

/** An approver who wants to decide a hold. */
export interface ActingApprover {
  readonly by: Person;
  readonly roles?: readonly string[] | undefined;
}

/** The members of a hold that decide who may decide it. */
export type RuledHold = RequiringHold & Pick<HoldRow, 'requester' | 'otherRequesters'>;

/** Returns why an approver may not decide a hold by its requirements; `undefined` if they may. */
export function whyNotEligible(hold: RuledHold, { by, roles }: ActingApprover): string | undefined {
  const requirements = requirementsOf(hold);
  if (isAccountId(by.id) && !requirements.every((one) => names(one, by))) return ACCOUNT_NOT_NAMED;
  const isNamed = requirements.some((one) => isMember(one, { ...by, roles }));
  if (!isNamed) return `Only these approvers may decide: ${namesOf(requirements)}.`;
  return needsSeparation(requirements) ? whyNotSeparate(hold, by) : undefined;
}

const ACCOUNT_NOT_NAMED =
  'A service account may decide only if every requirement of the policy names it in `people`.';

/** Returns whether a requirement names an approver by id. */
function names({ people }: Pick<Requirement, 'people'>, by: Person): boolean {
  return people?.some((id) => isSamePerson({ id }, by)) ?? false;
}

/** Returns why an approver may not approve the call that a hold proposes; `undefined` if they may. */
export function whyNotApprove(hold: RuledHold, by: Person): string | undefined {
  const { proposal } = hold;
  if (proposal?.author === undefined || editedArgs(proposal.decision) === undefined)
    return undefined;
  const isAuthor = isSamePerson(proposal.author, by);
  return isAuthor && needsSeparation(requirementsOf(hold))
    ? 'You edited these arguments yourself. Another approver must approve them.'
    : undefined;
}

/** Returns whether a requirement lets an approver decide: by one of its roles, or by name. */
export function isMember(
  { roles, people }: Requirement,
  approver: Person & { readonly roles?: readonly string[] | undefined },
): boolean {
  if (roles === undefined && people === undefined) return true;
  const hasRole = roles?.some((role) => approver.roles?.includes(role)) ?? false;
  return hasRole || names({ people }, approver);
}

/** Returns the votes that count: of approvers who may decide, and who requested or edited nothing. */
export function countedVotes(hold: RuledHold, votes: readonly Vote[]): readonly Vote[] {
  return votes.filter(
    (vote) =>
      whyNotEligible(hold, { by: vote, roles: vote.roles }) === undefined &&
      whyNotApprove(hold, vote) === undefined,
  );
}

/** Returns whether votes meet every requirement of a hold, each with enough distinct approvers. */
export function isMet(hold: RuledHold, votes: readonly Vote[]): boolean {
  const counted = countedVotes(hold, votes);
  return requirementsOf(hold).every((requirement) => {
    const members = counted.filter((vote) => isMember(requirement, vote));
    return new Set(members.map(personKey)).size >= requirement.count;
  });
}

function whyNotSeparate(hold: RuledHold, by: Person): string | undefined {
  const requesters = requestersOf(hold);
  if (requesters.some((one) => one === null)) {
    return 'A requester is unknown, so separation of duties cannot be checked. No approver may decide this hold.';
  }
  const isRequester = requesters.some((one) => one !== null && isSamePerson(one, by));
  return isRequester ? 'You requested this yourself. Another approver must decide.' : undefined;
}

function namesOf(requirements: readonly Requirement[]): string {
  const roles = new Set(requirements.flatMap((one) => one.roles ?? []));
  const people = new Set(requirements.flatMap((one) => one.people ?? []));
  const parts = [
    ...(roles.size > 0 ? [`those with one of the roles ${[...roles].join(', ')}`] : []),
    ...(people.size > 0 ? [[...people].join(', ')] : []),
  ];
  return parts.join('; ');
}

/** Returns whether an approver has approved the current proposal of a hold. */
export function hasVoted({ votes = [] }: Pick<HoldRow, 'votes'>, by: Person): boolean {
  return votes.some((vote) => isSamePerson(vote, by));
}
