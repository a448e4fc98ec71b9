import type { Hold, HoldAnswer } from '../client/types.ts';

/** What an answer was, after a name: `Grace has approved it`. */
const SAID: Readonly<Record<HoldAnswer['kind'], string>> = {
  approve: 'has approved it',
  edit: 'has changed it and approved that',
  deny: 'has denied it',
  result: 'has given the result',
  retry: 'has asked the agent to try again',
  fail: 'has said that it could not be done',
};

/** What somebody has said. */
export function saidWords(kind: string): string {
  return Object.hasOwn(SAID, kind) ? SAID[kind as HoldAnswer['kind']] : 'has answered';
}

/** How it ended, where nobody has answered. */
export function outcomeWords({ outcome, state, decidedBy }: Hold): string {
  if (decidedBy?.kind === 'grant')
    return 'Somebody had approved such calls in advance: see the grants.';
  if (decidedBy?.kind === 'shadow')
    return 'The policy holds no such calls yet. It only noted this one.';
  switch (outcome) {
    case 'expired':
      return 'Nobody has answered in time. The call was not run.';
    case 'superseded':
      return 'The conversation has gone on without it. The call was not run.';
    case 'cancelled':
      return 'Its run was cancelled. The call was not run.';
    default:
      return state === 'open' ? 'It waits for an answer.' : 'It was answered.';
  }
}

/** How many must agree, and how many have. */
export interface Quorum {
  readonly needed: number;
  readonly have: number;
}

/** How many must agree to what is shown, and how many have. */
export function quorumOf({ approvers, votes }: Hold): Quorum {
  return {
    needed: approvers?.count ?? 1,
    have: votes.filter(({ counts, kind }) => counts && kind !== 'deny').length,
  };
}
