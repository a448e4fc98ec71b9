import type { ApproverRule } from '@holdpoint/desk';
import { Violation } from '../oracle.ts';
import { personAt } from './cast.ts';

/** A delegation as people agreed to it. */
export interface KnownDelegation {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly roles: readonly string[];
  readonly endsAt: number;
  isRevoked: boolean;
}

/** A vote that the desk accepted: its voter, authority, roles and time. */
export interface KnownVote {
  readonly actor: number;
  readonly authority: number;
  readonly roles: readonly string[];
  readonly at: number;
}

/**
 * A hold as observed outside of the desk. This file must not use the desk to compute its
 * expectations.
 */
export interface KnownHold {
  readonly openedAt: number;
  readonly requester: number;
  /** Every rule that was in force when the hold was opened or decided. All of them must be met. */
  readonly rules: ApproverRule[];
  readonly ballots: Map<string, { readonly args: string; readonly votes: KnownVote[] }>;
  /** The people who made the edit that is voted on. */
  authors: readonly number[];
  decided: { readonly digest: string; readonly at: number } | undefined;
  isClosed: boolean;
}

/** Throws a violation unless a statement is true. */
export function requireTrue(holds: boolean, otherwise: string): void {
  if (!holds) throw new Violation(otherwise);
}

/** Throws unless a vote may be given at its time. */
export function requireAcceptable(
  hold: KnownHold,
  vote: KnownVote,
  delegations: readonly KnownDelegation[],
  kind: 'approve' | 'edit' | 'deny' | 'retry',
): void {
  const { actor, authority, at } = vote;
  if (actor !== authority) {
    const isDelegated = delegations.some(
      ({ from, to, endsAt, isRevoked }) =>
        from === authority && to === actor && at < endsAt && !isRevoked,
    );
    requireTrue(isDelegated, 'a person decided on behalf of another without a valid delegation');
  }
  const isNamed = hold.rules.some((rule) => isNamedBy(rule, hold, vote, at));
  requireTrue(isNamed, 'a person decided whom no rule names at that time');
  if (!isSeparated(hold)) return;
  const parties = [actor, authority];
  requireTrue(
    !parties.includes(hold.requester),
    'a requester decided, or their authority was used',
  );
  if (kind !== 'approve') return;
  requireTrue(!parties.some((one) => hold.authors.includes(one)), 'an author approved their edit');
}

/** Throws unless the votes meet every rule: with enough votes that share no person. */
export function requireMet(hold: KnownHold, rules: readonly ApproverRule[], args: string): void {
  const { decided } = hold;
  if (decided === undefined) throw new Violation('a call executed without a decision');
  requireTrue(!hold.isClosed, 'a call executed that was denied or sent back to the model');
  const ballot = hold.ballots.get(decided.digest);
  requireTrue(ballot?.args === args, 'a call executed with arguments that were not approved');
  const isVoid = ({ actor, authority }: KnownVote) =>
    rules.some(({ notRequester }) => notRequester) &&
    [actor, authority].some((one) => one === hold.requester || hold.authors.includes(one));
  const votes = (ballot?.votes ?? []).filter((vote) => !isVoid(vote));
  for (const rule of rules) {
    const members = votes.filter((vote) => isNamedBy(rule, hold, vote, decided.at));
    const count = maxDisjoint(members, new Set());
    requireTrue(
      count >= (rule.count ?? 1),
      'a call executed without enough people who may approve it',
    );
  }
}

/** Returns true if a rule names the authority of a vote, with the steps reached at a time. */
function isNamedBy(rule: ApproverRule, hold: KnownHold, vote: KnownVote, at: number): boolean {
  const reached = (rule.escalate ?? []).filter(({ afterMs }) => hold.openedAt + afterMs <= at);
  const named = [rule, ...reached.map(({ also }) => also)];
  const { id } = personAt(vote.authority);
  return named.some(
    ({ roles = [], people = [] }) =>
      roles.some((role) => vote.roles.includes(role)) || people.includes(id),
  );
}

function isSeparated({ rules }: KnownHold): boolean {
  return rules.some(({ notRequester }) => notRequester);
}

/** Returns the size of the largest set of votes in which no person occurs twice. */
function maxDisjoint(votes: readonly KnownVote[], used: ReadonlySet<number>): number {
  const [first, ...rest] = votes;
  if (first === undefined) return 0;
  const without = maxDisjoint(rest, used);
  if (used.has(first.actor) || used.has(first.authority)) return without;
  const parties = new Set([...used, first.actor, first.authority]);
  return Math.max(without, 1 + maxDisjoint(rest, parties));
}
