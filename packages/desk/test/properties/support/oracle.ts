import type { ApproverRule, GrantScope } from '@holdpoint/desk';
import type { VoteCommand } from './commands.ts';
import { PEOPLE } from './rules.ts';

/** A call that has run. */
export interface Execution {
  readonly runId: string;
  readonly toolCallId: string;
  readonly args: { readonly to: string; readonly euros: number };
  /** Of the tool. */
  readonly version: number;
  readonly at: number;
}

/** Who has asked for a run: numbers of people; `undefined` for somebody who is not known. */
export type Askers = readonly (number | undefined)[];

/** A digest that people have seen. */
export interface ShownDigest {
  readonly digest: string;
  readonly changes: number;
}

/** What is known of a hold from outside: who has said what, to what, and whether that was taken. */
export interface KnownHold {
  readonly id: string;
  readonly runId: string;
  readonly toolCallId: string;
  readonly conversationId: string;
  /** The rule when it was opened, and those that later versions of the policy have added. */
  rules: readonly ApproverRule[];
  /** The rules of the edit that is voted on. */
  editRules: readonly ApproverRule[];
  /** The author of that edit. */
  author: number | undefined;
  /** For whom the run was started. */
  readonly requester: number | undefined;
  /** Everyone who has asked for something in its conversation. */
  readonly askers: Askers;
  /** Of the tool when the call came to wait. */
  readonly version: number;
  /** What was shown, and how often it had changed by then. */
  readonly shown: ShownDigest[];
  changes: number;
  args: { readonly to: string; readonly euros?: number | undefined };
  /** Who has agreed to these arguments since they last changed, and in which roles. */
  voters: Map<number, readonly string[]>;
  remember: VoteCommand | undefined;
  isDenied: boolean;
  decidedAt: number | undefined;
}

/** An approval in advance, as it was agreed to. */
export interface KnownGrant {
  readonly hold: KnownHold;
  readonly remember: VoteCommand;
  readonly args: KnownHold['args'];
  readonly voters: ReadonlyMap<number, readonly string[]>;
  readonly at: number;
  used: number;
  revokedAt: number | undefined;
}

/** Notes an answer that the desk has taken. */
export function take(
  hold: KnownHold,
  vote: VoteCommand,
  looked: ShownDigest,
  { now, rule }: { readonly now: number; readonly rule: ApproverRule },
): KnownGrant | undefined {
  const roles = vote.saysRoles ? PEOPLE[vote.person]!.roles : [];
  if (hold.author === undefined) hold.rules = [...hold.rules, rule];
  else hold.editRules = [...hold.editRules, rule];
  requireTrue(mayVote(hold, vote.person, roles), 'somebody has voted who may not');
  requireTrue(hold.decidedAt === undefined && !hold.isDenied, 'a settled hold has taken an answer');
  requireTrue(looked.changes === hold.changes, 'an answer counts for what was not looked at');
  if (vote.says === 'deny') {
    hold.isDenied = true;
    return undefined;
  }
  if (!agrees(hold, vote)) {
    hold.voters = new Map();
    hold.changes += 1;
    if (vote.says === 'edit') {
      hold.args = { to: hold.args.to, euros: vote.euros };
      hold.remember = undefined;
      hold.author = vote.person;
      hold.editRules = [rule];
    }
  }
  if (vote.says === 'remember') hold.remember = vote;
  requireTrue(!hold.voters.has(vote.person), 'somebody has voted twice');
  const isAuthor = hold.author === vote.person && isSeparate(hold);
  requireTrue(!isAuthor || vote.says === 'edit', 'an author has approved their own edit');
  if (!isAuthor) hold.voters.set(vote.person, roles);
  if (!isMet(hold, hold.voters)) return undefined;
  hold.decidedAt = now;
  const { remember, args } = hold;
  if (remember === undefined) return undefined;
  const voters = new Map(hold.voters);
  return { hold, remember, args, voters, at: now, used: 0, revokedAt: undefined };
}

/** Whether a vote is for what was proposed before, instead of a proposal of its own. */
export function agrees(hold: KnownHold, { says, euros }: VoteCommand): boolean {
  if (says !== 'edit') return says === 'approve';
  return hold.author !== undefined && hold.remember === undefined && hold.args.euros === euros;
}

function rulesOf({ rules, editRules }: KnownHold): readonly ApproverRule[] {
  return [...rules, ...editRules];
}

function isSeparate(hold: KnownHold): boolean {
  return rulesOf(hold).some(({ notRequester }) => notRequester);
}

/** Whether the rules of a hold let somebody answer. */
function mayVote(hold: KnownHold, person: number, roles: readonly string[]): boolean {
  if (!rulesOf(hold).some((rule) => isFor(rule, roles))) return false;
  const { askers } = hold;
  return !isSeparate(hold) || (!askers.includes(undefined) && !askers.includes(person));
}

function isFor(rule: ApproverRule, roles: readonly string[]): boolean {
  return rule.roles === undefined || rule.roles.some((role) => roles.includes(role));
}

/** Whether those who have agreed are enough for every rule of a hold. */
function isMet(hold: KnownHold, voters: ReadonlyMap<number, readonly string[]>): boolean {
  const counted = [...voters].filter(
    ([person, roles]) =>
      mayVote(hold, person, roles) && !(hold.author === person && isSeparate(hold)),
  );
  return rulesOf(hold).every(
    (rule) => counted.filter(([, roles]) => isFor(rule, roles)).length >= (rule.count ?? 1),
  );
}

/** What a call that has run must have been approved by. */
export function requireApproved(
  execution: Execution,
  hold: KnownHold,
  grant: KnownGrant | undefined,
): void {
  const { args, version, at } = execution;
  const wanted = { to: hold.args.to, euros: hold.args.euros ?? 10 };
  requireTrue(args.to === wanted.to && args.euros === wanted.euros, 'other arguments have run');
  requireTrue(version === hold.version, 'another tool has run than the one that was asked about');
  requireTrue(!hold.isDenied, 'a call has run that was denied');
  if (grant !== undefined) {
    requireGranted(hold, grant, at);
    return;
  }
  const { voters, decidedAt } = hold;
  requireTrue(decidedAt !== undefined, 'a call has run that nobody has decided');
  requireTrue(isMet(hold, voters), 'a call has run without its quorum');
  for (const { decisionValidFor = Infinity } of rulesOf(hold)) {
    requireTrue(at - decidedAt! <= decisionValidFor, 'a decision was carried out too late');
  }
}

function requireGranted(hold: KnownHold, grant: KnownGrant, at: number): void {
  const { remember, voters, hold: origin } = grant;
  grant.used += 1;
  requireTrue(grant.used <= (remember.uses ?? Infinity), 'a grant was used too often');
  requireTrue(grant.revokedAt === undefined, 'a grant was used that was revoked');
  const end = grant.at + (remember.expiresAfter ?? Infinity);
  requireTrue(at < end, 'a grant was used that had expired');
  requireTrue(origin.version === hold.version, 'a grant was used for another tool');
  requireTrue(isInScope(remember.scope, origin, hold), 'a grant was used outside of its scope');
  requireTrue(fits(remember, grant.args, hold.args), 'a grant was used for other arguments');
  requireTrue(isMet(hold, voters), 'a grant of too few people was used');
  for (const [person, roles] of voters) {
    requireTrue(mayVote(hold, person, roles), 'a grant was of no use');
  }
  for (const { remember: widest = 'never' } of rulesOf(hold)) {
    requireTrue(
      SCOPES.indexOf(remember.scope) <= SCOPES.indexOf(widest),
      'a grant was not allowed',
    );
  }
}

const SCOPES = ['never', 'conversation', 'requester', 'agent', 'tenant'];

function isInScope(scope: GrantScope, origin: KnownHold, hold: KnownHold): boolean {
  if (scope === 'conversation') return origin.conversationId === hold.conversationId;
  // There is one agent, and one tenant.
  if (scope !== 'requester') return true;
  const { requester } = origin;
  return requester !== undefined && hold.askers.every((one) => one === requester);
}

function fits({ match }: VoteCommand, given: KnownHold['args'], args: KnownHold['args']): boolean {
  if (match === 'tool') return true;
  const isSamePayee = given.to === args.to;
  // Those that were not sent are 10.
  return match === 'payee'
    ? isSamePayee
    : isSamePayee && (given.euros ?? 10) === (args.euros ?? 10);
}

export function requireTrue(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(`It is not as it must be: ${otherwise}.`);
}
