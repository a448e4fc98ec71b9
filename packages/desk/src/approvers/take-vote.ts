import { canonicalJson } from 'holdpoint/ledger';
import { closesHold, type DecisionRow, editedArgs } from '../model/decision-row.ts';
import type { Requirement } from '../model/approver-rule.ts';
import { hashOf } from '../model/hash.ts';
import { callDigestOf, type HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import type { Proposal, ShownEdit, Vote } from '../model/vote.ts';
import { countedVotes, isMet } from './eligibility.ts';

/** A decision that an approver may make. */
export interface GivenVote extends Omit<DecisionRow, 'number'> {
  /** The description of an edit by its tool. */
  readonly shown?: ShownEdit | undefined;
  /** The requirement of the edited call. */
  readonly requirement?: Requirement | undefined;
  /** `false` if the approver was not shown the call that would execute, so the decision is not a vote for it. */
  readonly isInformed?: boolean | undefined;
}

/** A hold after a decision was recorded. */
export interface TakenVote {
  readonly hold: HoldRow;
  readonly isDecided: boolean;
}

/**
 * Adds a decision to a hold. A proposal replaces the call or result that was voted on, so earlier
 * votes do not count for it. One denial, or one request for changes, decides.
 */
export function takeVote(hold: HoldRow, given: GivenVote): TakenVote {
  const { decision, by, roles, onBehalfOf, at, isInformed = true } = given;
  if (closesHold(hold, decision)) return { hold, isDecided: true };
  const delegated = onBehalfOf !== undefined && { onBehalfOf };
  const vote: Vote = { ...by, at, ...(roles !== undefined && { roles }), ...delegated };
  if (isAgreement(hold, given)) return counted(hold, [...(hold.votes ?? []), vote]);
  const proposed = withDigest({ ...hold, proposal: proposalOf(hold, given) });
  return counted(proposed, isInformed ? [vote] : []);
}

/** Returns whether a decision agrees with the current proposal of a hold instead of making another one. */
export function isAgreement(
  { proposal }: HoldRow,
  { decision, grant: grantRequest, shown }: Pick<GivenVote, 'decision' | 'grant' | 'shown'>,
): boolean {
  if (grantRequest !== undefined) return false;
  const edit = editedArgs(decision);
  if (decision.kind === 'approve' && edit === undefined) return true;
  if (proposal?.decision === undefined || proposal.grant !== undefined) return false;
  if (edit === undefined) return isSame(proposal.decision, decision);
  return (
    isSame(editedArgs(proposal.decision) ?? null, edit) &&
    isSame(proposal.shown ?? null, shown ?? null)
  );
}

function proposalOf({ proposal: earlier }: HoldRow, given: GivenVote): Proposal {
  const { decision, by, onBehalfOf, at, grant: grantRequest, shown, requirement } = given;
  const wish = grantRequest !== undefined && { grant: grantRequest };
  const args = editedArgs(decision);
  // A request for a grant keeps the edit or the result that was proposed before.
  if (decision.kind === 'approve' && args === undefined) return { ...earlier, ...wish, by, at };
  if (args === undefined) return { decision, ...wish, by, at };
  const requirements = requirement === undefined ? [] : [requirement];
  // The reason is not a part of the proposal: others may approve the same edit for another reason.
  const edit = { kind: 'approve', args } as const;
  const authors = { author: by, ...(onBehalfOf && { authoredFor: onBehalfOf }) };
  return { decision: edit, ...authors, ...(shown && { shown }), requirements, ...wish, by, at };
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
  const { decision = null, grant: grantRequest = null, shown = null } = hold.proposal ?? {};
  const about = toJson([decision, grantRequest, shown]);
  const digest = hashOf('holdpoint/proposal/2', callDigest, revision, about);
  return { ...hold, revision, callDigest, digest, votes: [] };
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(toJson(one)) === canonicalJson(toJson(other));
}
