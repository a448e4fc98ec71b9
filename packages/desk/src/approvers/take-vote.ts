import { canonicalJson } from 'holdpoint/ledger';
import type { AnswerRow, HoldAnswer } from '../model/answer-row.ts';
import type { Requirement } from '../model/approver-rule.ts';
import { hashOf } from '../model/hash.ts';
import { callDigestOf, type HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import type { Proposal, ShownEdit, Vote } from '../model/vote.ts';
import { countedVotes, isMet } from './may-answer.ts';

/** A decision that an approver may make. */
export interface GivenVote extends Omit<AnswerRow, 'number'> {
  /** The description of an edit by its tool. */
  readonly shown?: ShownEdit | undefined;
  /** The requirement of the edited call. */
  readonly requirement?: Requirement | undefined;
  /** Set to `false` if the approver was not shown the call that would execute: it is not a vote for it. */
  readonly isInformed?: boolean | undefined;
}

/** A hold after a decision was recorded. */
export interface TakenVote {
  readonly hold: HoldRow;
  readonly isDecided: boolean;
}

/**
 * Adds a decision to a hold. A proposal is another call or result than the one that was voted on, so earlier
 * votes do not count for it. One denial decides.
 */
export function takeVote(hold: HoldRow, given: GivenVote): TakenVote {
  const { answer, by, roles, at, isInformed = true } = given;
  if (answer.kind === 'deny') return { hold, isDecided: true };
  const vote: Vote = { ...by, at, ...(roles !== undefined && { roles }) };
  if (isAgreement(hold, given)) return counted(hold, [...(hold.votes ?? []), vote]);
  const proposed = withDigest({ ...hold, proposal: proposalOf(hold, given) });
  return counted(proposed, isInformed ? [vote] : []);
}

/** Returns whether a decision agrees with what the digest of a hold names, instead of proposing something. */
export function isAgreement(
  { proposal }: HoldRow,
  { answer, remember, shown }: Pick<GivenVote, 'answer' | 'remember' | 'shown'>,
): boolean {
  if (remember !== undefined) return false;
  if (answer.kind === 'approve') return true;
  if (proposal?.answer === undefined || proposal.remember !== undefined) return false;
  return (
    isSame(proposal.answer, answer) &&
    (answer.kind !== 'edit' || isSame(proposal.shown ?? null, shown ?? null))
  );
}

function proposalOf({ proposal: earlier }: HoldRow, given: GivenVote): Proposal {
  const { answer, by, at, remember, shown, requirement } = given;
  const wish = remember !== undefined && { remember };
  // An approval that is to be remembered keeps the edit or the result that was proposed before.
  if (answer.kind === 'approve') return { ...earlier, ...wish, by, at };
  if (answer.kind !== 'edit') return { answer, ...wish, by, at };
  const requirements = requirement === undefined ? [] : [requirement];
  return { answer, author: by, ...(shown && { shown }), requirements, ...wish, by, at };
}

function counted(hold: HoldRow, votes: readonly Vote[]): TakenVote {
  return {
    hold: { ...hold, votes: countedVotes(hold, votes) },
    isDecided: isMet(hold, votes),
  };
}

/** Returns a hold without votes, with a digest that it never had. */
export function withDigest(hold: HoldRow): HoldRow {
  const revision = (hold.revision ?? 0) + 1;
  const callDigest = callDigestOf(hold);
  const { answer = null, remember = null, shown = null } = hold.proposal ?? {};
  const about = toJson([answer, remember, shown]);
  const digest = hashOf('holdpoint/proposal/2', callDigest, revision, about);
  return { ...hold, revision, callDigest, digest, votes: [] };
}

function isSame(one: HoldAnswer | ShownEdit | null, other: HoldAnswer | ShownEdit | null): boolean {
  return canonicalJson(toJson(one)) === canonicalJson(toJson(other));
}
