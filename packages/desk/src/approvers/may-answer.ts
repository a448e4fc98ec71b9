import { ANYBODY } from '../model/approver-rule.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import { isSamePerson } from './same-person.ts';

/** Somebody who wants to answer. */
export interface Answerer {
  readonly by: Person;
  readonly roles?: readonly string[] | undefined;
}

/** What a rule is asked about. */
export type RuledHold = Pick<HoldRow, 'approvers' | 'requester' | 'alsoAsked'>;

/** Why somebody may not answer a hold, by the rule that is stored in it; `undefined` if they may. */
export function whyNotAnswer(hold: RuledHold, { by, roles }: Answerer): string | undefined {
  const { roles: wanted, notRequester } = hold.approvers ?? ANYBODY;
  if (wanted !== undefined && !wanted.some((role) => roles?.includes(role))) {
    return `Only people with one of these roles may answer: ${wanted.join(', ')}.`;
  }
  return notRequester ? whyNotBeside(hold, by) : undefined;
}

/** Whoever has asked does not answer. Where nobody knows who has, it may be whoever wants to answer. */
function whyNotBeside({ requester, alsoAsked = [] }: RuledHold, by: Person): string | undefined {
  const asked = [requester, ...alsoAsked];
  if (asked.some((one) => one === undefined || one === null)) {
    return 'Nobody knows who has asked for this, so nobody can say that it was not you.';
  }
  // Those that are not known were looked for just now.
  const isOwn = asked.some((one) => isSamePerson(one as Person, by));
  return isOwn ? 'You have asked for this yourself: somebody else has to answer.' : undefined;
}

/** Whether somebody has agreed to what the digest of a hold is about. */
export function hasVoted({ votes = [] }: Pick<HoldRow, 'votes'>, by: Person): boolean {
  return votes.some((vote) => isSamePerson(vote, by));
}
