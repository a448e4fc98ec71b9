import type { AnswerRow } from '../model/answer-row.ts';
import { ANYBODY } from '../model/approver-rule.ts';
import { hashOf } from '../model/hash.ts';
import { callDigestOf, type HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import type { Proposal, Vote } from '../model/vote.ts';

/** A hold after an answer, and whether that has decided it. */
export interface TakenVote {
  readonly hold: HoldRow;
  readonly isDecided: boolean;
}

/**
 * Takes an answer into account that somebody may give. What it proposes is another thing than what was
 * voted on before, so it starts from its own vote. One denial is enough.
 */
export function takeVote(hold: HoldRow, given: Omit<AnswerRow, 'number'>): TakenVote {
  const { answer, by, roles, remember, at } = given;
  if (answer.kind === 'deny') return { hold, isDecided: true };
  const vote: Vote = { ...by, at, ...(roles !== undefined && { roles }) };
  const isYes = answer.kind === 'approve';
  if (isYes && remember === undefined) return counted(hold, [...(hold.votes ?? []), vote]);
  // What was proposed before stays when somebody wants it to be remembered, too.
  const proposed = isYes ? hold.proposal?.answer : answer;
  const proposal: Proposal = {
    ...(proposed !== undefined && { answer: proposed }),
    ...(remember !== undefined && { remember }),
    by,
    at,
  };
  return counted(withDigest({ ...hold, proposal }), [vote]);
}

function counted(hold: HoldRow, votes: readonly Vote[]): TakenVote {
  const { count } = hold.approvers ?? ANYBODY;
  return { hold: { ...hold, votes }, isDecided: votes.length >= count };
}

/** A hold that nobody has voted on, with a digest that it never had. */
export function withDigest(hold: HoldRow): HoldRow {
  const revision = (hold.revision ?? 0) + 1;
  const callDigest = callDigestOf(hold);
  const { answer = null, remember = null } = hold.proposal ?? {};
  const about = toJson([answer, remember]);
  const digest = hashOf('holdpoint/proposal/1', callDigest, revision, about);
  return { ...hold, revision, callDigest, digest, votes: [] };
}
