import type { Requirement } from '../model/approver-rule.ts';
import { editedArgs } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { isAccountId } from '../model/key-scope.ts';
import type { Person } from '../model/person.ts';
import type { Vote } from '../model/vote.ts';
import {
  type ActingApprover,
  approverOf,
  authorityOf,
  distinctVotes,
  partiesOf,
} from './delegated.ts';
import { requestersOf } from './effective-call.ts';
import { needsSeparation, requirementsOf, type RequiringHold } from './requirements.ts';
import { isSamePerson, personKey } from './same-person.ts';

/** The members of a hold that decide who may decide it. */
export type RuledHold = RequiringHold & Pick<HoldRow, 'requester' | 'otherRequesters'>;

/** Returns why an approver may not decide a hold by its requirements; `undefined` if they may. */
export function whyNotEligible(hold: RuledHold, approver: ActingApprover): string | undefined {
  const requirements = requirementsOf(hold);
  const { by, onBehalfOf } = approver;
  const hasOwnAuthority = onBehalfOf === undefined && requirements.every((one) => names(one, by));
  if (isAccountId(by.id) && !hasOwnAuthority) return ACCOUNT_NOT_NAMED;
  const isNamed = requirements.some((one) => isMember(one, authorityOf(approver)));
  if (!isNamed) return `Only these approvers may decide: ${namesOf(requirements)}.`;
  if (!needsSeparation(requirements)) return undefined;
  // A requester may neither decide as a delegate nor have a delegate decide.
  return (
    whyNotSeparate(hold, by) ??
    (onBehalfOf && whyNotSeparate(hold, onBehalfOf) && DELEGATOR_REQUESTED)
  );
}

const ACCOUNT_NOT_NAMED =
  'A service account may decide only on its own behalf, and if every requirement of the policy names it in `people`.';

/** Returns whether a requirement names an approver by id. */
function names({ people }: Pick<Requirement, 'people'>, by: Person): boolean {
  return people?.some((id) => isSamePerson({ id }, by)) ?? false;
}

/** Returns why an approver may not approve the call that a hold proposes; `undefined` if they may. */
export function whyNotApprove(hold: RuledHold, approver: ActingApprover): string | undefined {
  const { proposal } = hold;
  if (proposal?.author === undefined || editedArgs(proposal.decision) === undefined)
    return undefined;
  const authors = [proposal.author, ...(proposal.authoredFor ? [proposal.authoredFor] : [])];
  const parties = partiesOf(approver);
  const isAuthor = authors.some((author) => parties.includes(personKey(author)));
  return isAuthor && needsSeparation(requirementsOf(hold))
    ? 'You edited these arguments yourself, or on behalf of each other. Another approver must approve them.'
    : undefined;
}

/** Returns whether a requirement permits an approver to decide, by role or by name. */
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
  const eligible = votes.filter(
    (vote) =>
      whyNotEligible(hold, approverOf(vote)) === undefined &&
      whyNotApprove(hold, approverOf(vote)) === undefined,
  );
  return distinctVotes(eligible);
}

/** Returns whether votes meet every requirement of a hold, each with enough distinct approvers. */
export function isMet(hold: RuledHold, votes: readonly Vote[]): boolean {
  const counted = countedVotes(hold, votes);
  return requirementsOf(hold).every((requirement) => {
    const members = counted.filter((vote) => isMember(requirement, authorityOf(approverOf(vote))));
    return new Set(members.map(personKey)).size >= requirement.count;
  });
}

const DELEGATOR_REQUESTED =
  'The person on whose behalf you decide requested this. Another approver must decide.';

function whyNotSeparate(hold: RuledHold, by: Person): string | undefined {
  const requesters = requestersOf(hold);
  if (requesters.some((one) => one === null)) {
    return 'A requester is unknown, so separation of duties cannot be checked. No approver may decide this hold. Cancel the run, and start it with a requester.';
  }
  const isRequester = requesters.some((one) => one !== null && isSamePerson(one, by));
  return isRequester ? 'You requested this yourself. Another approver must decide.' : undefined;
}

function namesOf(requirements: readonly Requirement[]): string {
  const roles = new Set(requirements.flatMap((one) => one.roles ?? []));
  const people = new Set(requirements.flatMap((one) => one.people ?? []));
  const parts = [
    ...(roles.size > 0 ? [`people with the role ${[...roles].join(' or ')}`] : []),
    ...(people.size > 0 ? [[...people].join(', ')] : []),
  ];
  return parts.join('; ');
}

/**
 * Returns whether an approver or the other party of their delegation has voted for the current
 * proposal.
 */
export function hasVoted(
  { votes = [] }: Pick<HoldRow, 'votes'>,
  approver: ActingApprover,
): boolean {
  const parties = partiesOf(approver);
  return votes.some((vote) => partiesOf(approverOf(vote)).some((key) => parties.includes(key)));
}
