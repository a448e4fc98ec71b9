import type { ApproverRule } from '@holdpoint/desk';
import type { JsonValue } from 'holdpoint';
import { indexOf, rolesOf } from './cast.ts';
import { isLarge, type PolicySpec, ruleFor } from './policy-spec.ts';
import { isObject, isSame, isShown, type Seen, type Shown, wasShown } from './shown.ts';
import type { Deployment, Execution, SchemaName } from './stage.ts';
import type { GrantSpec } from './stories.ts';

/** The property was violated. */
export class Violation extends Error {
  override name = 'Violation';
}

/** Throws a violation unless a statement is true. */
export function requireTrue(holds: boolean, otherwise: string): void {
  if (!holds) throw new Violation(otherwise);
}

/** A decision of a person that the desk accepted. */
export interface KnownVote {
  readonly person: number;
  readonly roles: readonly string[];
  readonly seen: Seen;
}

/** The votes for what one digest names. */
export interface Ballot {
  readonly votes: KnownVote[];
  readonly grant: GrantSpec | undefined;
}

/** A hold as observed outside of the desk: its displays and decisions, with the people. */
export interface KnownHold {
  readonly id: string;
  readonly runId: string;
  readonly callKey: string;
  readonly conversation: string;
  readonly agent: string;
  /** The people who had written in the conversation when the call was deferred; `undefined` if unknown. */
  readonly requesters: readonly (number | undefined)[];
  readonly requester: number | undefined;
  readonly deployment: Deployment;
  readonly parked: Shown;
  /** The moment from which no decision is accepted. */
  expiresAt: number;
  /** The rules of the call as the model sent it. They only grow. */
  rules: readonly ApproverRule[];
  /** The rules of the edit that is voted on. */
  editRules: readonly ApproverRule[];
  author: number | undefined;
  readonly ballots: Map<string, Ballot>;
  decision: { readonly digest: string; readonly at: number } | undefined;
  /** A denial or a request for changes closed it. */
  isClosed: boolean;
  grant: KnownGrant | undefined;
  /** A row of it was changed past the desk. */
  isForged: boolean;
}

/** A grant with the facts that its approver agreed to. */
export interface KnownGrant {
  readonly origin: KnownHold;
  readonly grant: GrantSpec;
  readonly args: JsonValue;
  readonly votes: readonly KnownVote[];
  readonly at: number;
  uses: number;
  isRevoked: boolean;
}

/** A decision that the desk has accepted. */
export interface Accepted {
  readonly person: number;
  readonly roles: readonly string[];
  readonly seen: Seen;
  readonly decision: 'approve' | 'deny' | 'retry' | 'edit' | 'grant';
  /** The arguments that the policy is evaluated on before the decision. */
  readonly argsBefore: JsonValue;
  /** The digest that the decision names. */
  readonly digest: string;
  readonly grant: GrantSpec | undefined;
  /** The policy of the process that recorded it; `undefined` for a process without one. */
  readonly policy: PolicySpec | undefined;
  readonly at: number;
  /** The hold after the decision. */
  readonly after: { readonly digest: string; readonly isDecided: boolean; readonly shown: Seen };
}

/** Records a decision that the desk accepted, and throws if it must not have been. Returns a new grant. */
export function accept(hold: KnownHold, accepted: Accepted): KnownGrant | undefined {
  const { person, roles, seen, decision, policy, digest, after, at } = accepted;
  const vote: KnownVote = { person, roles, seen };
  if (policy !== undefined) {
    const rule = ruleFor(policy, accepted.argsBefore);
    if (hold.author === undefined) hold.rules = [...hold.rules, rule];
    else hold.editRules = [...hold.editRules, rule];
    requireTrue(
      mayDecide(policy, person, accepted.argsBefore),
      'a person decided whom `mayDecide` does not let',
    );
  }
  requireTrue(hold.isForged || isEligible(hold, vote), 'a person decided who may not');
  requireTrue(at < hold.expiresAt, 'an expired hold accepted a decision');
  requireTrue(hold.decision === undefined && !hold.isClosed, 'a settled hold accepted a decision');
  if (decision === 'deny' || decision === 'retry') {
    requireTrue(after.isDecided, 'a denial or a request for changes left a hold open');
    hold.isClosed = true;
    return undefined;
  }
  const isProposal = after.digest !== digest;
  if (!isProposal) {
    const isAuthor = isSeparate(hold) && hold.author === person;
    requireTrue(hold.isForged || !isAuthor, 'the author of an edit approved it');
  }
  if (decision === 'grant' && !hold.isForged) requireGrantable(hold, accepted);
  if (isProposal) propose(hold, accepted);
  const ballot = hold.ballots.get(after.digest) ?? { votes: [], grant: undefined };
  hold.ballots.set(after.digest, ballot);
  ballot.votes.push(vote);
  if (!after.isDecided) return undefined;
  hold.decision = { digest: after.digest, at };
  const informed = ballot.votes.filter((one) => isShown(one.seen, after.shown));
  if (!hold.isForged)
    requireMet(hold, rulesOf(hold), informed, 'a hold was decided without its votes');
  if (ballot.grant === undefined) return undefined;
  const { args } = after.shown;
  return {
    origin: hold,
    grant: ballot.grant,
    args,
    votes: [...ballot.votes],
    at,
    uses: 0,
    isRevoked: false,
  };
}

function requireGrantable(hold: KnownHold, { grant: grantRequest }: Accepted): void {
  const scope = grantRequest?.scope ?? 'conversation';
  const isAllowed = SCOPES.indexOf(scope) <= SCOPES.indexOf(widestScope(hold));
  requireTrue(isAllowed, 'an approval was remembered that the policy does not let people remember');
}

function propose(
  hold: KnownHold,
  { person, decision, policy, after, digest, grant: grantRequest }: Accepted,
): void {
  if (decision === 'edit') {
    hold.author = person;
    hold.editRules = policy === undefined ? [] : [ruleFor(policy, after.shown.args)];
    if (policy !== undefined) {
      const isAllowed = mayDecide(policy, person, after.shown.args);
      requireTrue(isAllowed, 'a person edited a call whom `mayDecide` does not let');
    }
  }
  requireTrue(!hold.ballots.has(after.digest), 'a proposal has a digest that named something else');
  const wish = decision === 'grant' ? grantRequest : undefined;
  requireTrue(
    decision !== 'approve' || digest === after.digest,
    'an approval changed what is voted on',
  );
  hold.ballots.set(after.digest, { votes: [], grant: wish });
}

/** Checks a hold that a grant has decided when it was opened. */
export function requireGranted(
  hold: KnownHold,
  grant: KnownGrant,
  at: number,
  isSpecial: boolean,
): void {
  const { grant: grantRequest, votes, origin, args } = grant;
  grant.uses += 1;
  requireTrue(grant.uses <= (grantRequest.uses ?? Infinity), 'a grant was used too often');
  requireTrue(!grant.isRevoked, 'a revoked grant was used');
  requireTrue(at < grant.at + (grantRequest.expiresAfter ?? Infinity), 'an expired grant was used');
  requireTrue(
    !isSpecial,
    'a grant decided a call that was denied, requested or sent back to the model before',
  );
  requireTrue(isSameTool(origin.deployment, hold.deployment), 'a grant was used for another tool');
  requireTrue(isInScope(grant, hold), 'a grant was used outside of its scope');
  requireTrue(
    isMatch(grantRequest, args, hold.parked.args),
    'a grant was used for other arguments',
  );
  for (const { grants: widest = 'never' } of rulesOf(hold)) {
    const isAllowed = SCOPES.indexOf(grantRequest.scope) <= SCOPES.indexOf(widest);
    requireTrue(isAllowed, 'a grant was used that the policy does not allow');
  }
  for (const vote of votes) {
    const isAble =
      isEligible(hold, vote) && mayDecide(hold.deployment.policy, vote.person, hold.parked.args);
    requireTrue(isAble, 'a grant was used of a person who may not approve this call');
  }
  requireMet(hold, rulesOf(hold), votes, 'a grant of too few people was used');
}

/** The scopes of grants, from none to the widest. */
export const SCOPES = ['never', 'conversation', 'requester', 'agent', 'tenant'] as const;

/** Returns the widest scope that the rules of a hold allow. */
export function widestScope(hold: KnownHold): (typeof SCOPES)[number] {
  const reaches = rulesOf(hold).map(({ grants = 'never' }) => SCOPES.indexOf(grants));
  return SCOPES[Math.min(...reaches)] ?? 'never';
}

/**
 * Returns true if a person with all of their roles may vote for a digest, and has not voted for it.
 */
export function mayVote(
  hold: KnownHold,
  policy: PolicySpec,
  person: number,
  digest: string,
): boolean {
  const vote = { person, roles: rolesOf(person), seen: hold.parked };
  const voted = hold.ballots.get(digest)?.votes.some((one) => one.person === person) ?? false;
  const isAuthor = hold.author === person && isSeparate(hold);
  return (
    !voted && !isAuthor && isEligible(hold, vote) && mayDecide(policy, person, hold.parked.args)
  );
}

/** Checks an execution of the tool against everything that people were shown and decided. */
export function requireApproved(execution: Execution, hold: KnownHold, original: Shown): void {
  const { approval, args, preview, at, deployment } = execution;
  const executed: Shown = { args, preview };
  requireTrue(!hold.isClosed, 'a call executed that was denied or sent back to the model');
  requireTrue(
    acceptsSame(hold.deployment, deployment),
    'another tool executed than the approved one',
  );
  const votes = votesFor(execution, hold);
  const rules = [...rulesOf(hold), ruleFor(deployment.policy, args)];
  const named = (approval?.by ?? []).map(({ id }) => indexOf(id));
  const isByGrant = hold.grant !== undefined;
  const counted = votes.filter(
    ({ person, seen }) =>
      named.includes(person) && (isByGrant || wasShown(seen, executed, original)),
  );
  for (const person of named) {
    const own = votes.filter((one) => one.person === person);
    requireTrue(own.length > 0, 'an approver is named who did not approve');
    const isInformed = counted.some((one) => one.person === person);
    requireTrue(isInformed, 'an approver was shown another call than the one that executed');
    const isAsVoted = own.some(({ seen }) => isSame(seen.args, args));
    const isAllowed = isByGrant || isAsVoted || mayDecide(deployment.policy, person ?? -1, args);
    requireTrue(isAllowed, 'a call executed that `mayDecide` does not let its approver decide');
  }
  if (hold.grant !== undefined) {
    requireTrue(
      isShown(hold.parked, executed),
      'another call executed than the one that a grant decided',
    );
  }
  requireMet(hold, rules, counted, 'a call executed without the votes that its policy demands');
  const decidedAt = hold.decision?.at ?? at;
  // A policy that was deployed after the decision does not shorten the time in which it is valid.
  for (const { decisionValidFor = Infinity } of rulesOf(hold)) {
    requireTrue(
      at - decidedAt <= decisionValidFor,
      'a call executed after its decision had expired',
    );
  }
}

function votesFor({ approval }: Execution, hold: KnownHold): readonly KnownVote[] {
  if (hold.grant !== undefined) return hold.grant.votes;
  requireTrue(hold.decision !== undefined, 'a call executed that was not decided');
  requireTrue(
    hold.decision?.digest === approval?.digest,
    'a call executed that is not the decided one',
  );
  return hold.ballots.get(approval?.digest ?? '')?.votes ?? [];
}

function rulesOf({ rules, editRules }: KnownHold): readonly ApproverRule[] {
  return [...rules, ...editRules];
}

function isSeparate(hold: KnownHold, rules = rulesOf(hold)): boolean {
  return rules.some(({ notRequester }) => notRequester);
}

/** Returns true if a rule names a person and the person did not request the call. */
function isEligible(hold: KnownHold, vote: KnownVote, rules = rulesOf(hold)): boolean {
  if (!rules.some((rule) => isNamed(rule, vote))) return false;
  const { requesters } = hold;
  const isApart = !requesters.includes(undefined) && !requesters.includes(vote.person);
  return isApart || !isSeparate(hold, rules);
}

function isNamed({ roles, people }: ApproverRule, { person, roles: own }: KnownVote): boolean {
  if (roles === undefined && people === undefined) return true;
  const isPerson = people?.some((id) => (indexOf(id) ?? -1) === person) ?? false;
  return isPerson || (roles?.some((role) => own.includes(role)) ?? false);
}

/** Throws unless distinct eligible people meet each rule, without the author of an edit if it demands that. */
function requireMet(
  hold: KnownHold,
  rules: readonly ApproverRule[],
  votes: readonly KnownVote[],
  otherwise: string,
): void {
  const counted = votes.filter(
    (vote) =>
      isEligible(hold, vote, rules) && !(isSeparate(hold, rules) && hold.author === vote.person),
  );
  for (const rule of rules) {
    const people = new Set(
      counted.filter((vote) => isNamed(rule, vote)).map(({ person }) => person),
    );
    requireTrue(
      people.size >= (rule.count ?? 1),
      `${otherwise} (${people.size} of ${rule.count ?? 1})`,
    );
  }
}

function mayDecide({ barred }: PolicySpec, person: number, args: JsonValue): boolean {
  return barred === undefined || barred !== person || !isLarge(args);
}

/** An approval is for a tool that accepts the same input. A default that approvers were shown may change. */
function acceptsSame(one: Deployment, other: Deployment): boolean {
  return (one.schema === 'plain') === (other.schema === 'plain') && one.version === other.version;
}

/** A grant is for a tool that looks the same to people, with its defaults. */
function isSameTool(one: Deployment, other: Deployment): boolean {
  return INPUTS[one.schema] === INPUTS[other.schema] && one.version === other.version;
}

const INPUTS: Readonly<Record<SchemaName, string>> = {
  plain: 'euros',
  default: 'euros = 10',
  'other-default': 'euros = 5000',
  computed: 'euros?',
  factor: 'euros = 10',
  'look-up': 'euros = 10',
};

function isInScope({ grant: { scope }, origin }: KnownGrant, hold: KnownHold): boolean {
  if (scope === 'tenant') return true;
  if (origin.agent !== hold.agent) return false;
  if (scope === 'agent') return true;
  if (scope === 'conversation') return origin.conversation === hold.conversation;
  const { requester } = origin;
  return requester !== undefined && hold.requesters.every((one) => one === requester);
}

function isMatch({ match }: GrantSpec, given: JsonValue, args: JsonValue): boolean {
  if (match === 'tool') return true;
  if (match === 'same-arguments') return isSame(given, args);
  return isObject(given) && isObject(args) && isSame(given['to'], args['to']);
}
