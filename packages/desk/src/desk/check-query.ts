import { UserError } from 'holdpoint';
import { checkOptions, checkSwitch, isThenable, kindOf, type KeysOf } from '../model/check-keys.ts';
import type { DelegationQuery, GrantQuery, HoldQuery, PageQuery, RunQuery } from '../model/page.ts';
import { HOLD_TRANSITIONS, RUN_TRANSITIONS } from '../model/states.ts';
import { checkPerson, checkRoles } from './check-decision.ts';
import { requireOneOf } from './method-options.ts';

const PAGE: KeysOf<PageQuery> = { after: true, limit: true };

const HOLDS: KeysOf<HoldQuery> = {
  ...PAGE,
  idPrefix: true,
  states: true,
  runId: true,
  conversationId: true,
  tool: true,
  agent: true,
  requester: true,
  createdAfter: true,
  createdBefore: true,
  text: true,
  eligible: true,
};

const RUNS: KeysOf<RunQuery> = {
  ...PAGE,
  idPrefix: true,
  states: true,
  agent: true,
  conversationId: true,
  includeErased: true,
};

const GRANTS: KeysOf<GrantQuery> = { ...PAGE, idPrefix: true, live: true };

const HOLD_TEXTS = [
  'after',
  'idPrefix',
  'runId',
  'conversationId',
  'tool',
  'agent',
  'requester',
  'text',
] as const;

/** Throws for members that a database would reject, or compare with something else. */
function checkMembers<Query extends object>(
  query: Query,
  {
    texts = [],
    switches = [],
  }: {
    readonly texts?: readonly (keyof Query & string)[];
    readonly switches?: readonly (keyof Query & string)[];
  },
): void {
  for (const name of texts) {
    const value: unknown = query[name];
    if (value === undefined || typeof value === 'string') continue;
    throw new UserError(`\`${name}\` is ${kindOf(value)}. ${adviceForText(value)}`);
  }
  for (const name of switches) {
    // `checkSwitch` validates it.
    checkSwitch(name, query[name] as boolean | undefined);
  }
}

function checkEligible(eligible: HoldQuery['eligible']): void {
  if (eligible === undefined) return;
  checkPerson('the approver in `eligible`', eligible);
  const { roles, delegators = [] } = eligible;
  if (roles !== undefined) checkRoles(roles);
  for (const delegator of delegators) {
    checkPerson('the delegator in `eligible`', delegator);
    if (delegator.roles !== undefined) checkRoles(delegator.roles);
  }
}

/** Validates a query for holds: an unknown member would be ignored, and the list would be too long. */
export function checkHoldQuery(query: HoldQuery): HoldQuery {
  checkOptions<HoldQuery>('`desk.holds`', query, HOLDS);
  checkStates(query.states, HOLD_TRANSITIONS);
  checkMembers(query, { texts: HOLD_TEXTS });
  checkTime('createdAfter', query.createdAfter);
  checkTime('createdBefore', query.createdBefore);
  checkEligible(query.eligible);
  return query;
}

/** Validates a query for runs. */
export function checkRunQuery(query: RunQuery): RunQuery {
  checkOptions<RunQuery>('`desk.runs`', query, RUNS);
  checkStates(query.states, RUN_TRANSITIONS);
  const texts = ['after', 'idPrefix', 'agent', 'conversationId'] as const;
  checkMembers(query, { texts, switches: ['includeErased'] });
  return query;
}

const DELEGATIONS: KeysOf<DelegationQuery> = { ...PAGE, person: true, live: true };

/** Validates a query for delegations. */
export function checkDelegationQuery(query: DelegationQuery): DelegationQuery {
  checkOptions<DelegationQuery>('`desk.delegations`', query, DELEGATIONS);
  checkMembers(query, { texts: ['after', 'person'], switches: ['live'] });
  return query;
}

/** Validates a query for grants. */
export function checkGrantQuery(query: GrantQuery): GrantQuery {
  checkOptions<GrantQuery>('`desk.grants`', query, GRANTS);
  checkMembers(query, { texts: ['after', 'idPrefix'], switches: ['live'] });
  return query;
}

/** Validates a query for a part of a list. */
export function checkPageQuery(method: string, query: PageQuery): PageQuery {
  checkOptions<PageQuery>(`\`desk.${method}\``, query, PAGE);
  return query;
}

/** Validates an id or a token, which a database would reject without naming it. */
export function checkId(what: string, id: string): string {
  // Programs without types pass anything.
  const given: unknown = id;
  if (typeof given === 'string' && given !== '') return given;
  const kind = given === '' ? 'empty' : kindOf(given);
  throw new UserError(`\`${what}\` is ${kind}. ${adviceForText(given)}`);
}

function adviceForText(given: unknown): string {
  if (isThenable(given)) return 'Did you forget `await`?';
  return typeof Object(given).id === 'string' ? 'Pass its `id`.' : 'Pass a text.';
}

function checkTime(name: string, time: number | undefined): void {
  // Programs without types pass anything, such as a `Date`.
  const given: unknown = time;
  if (given === undefined || Number.isFinite(given)) return;
  const advice = 'Pass milliseconds since 1970, such as `date.getTime()`.';
  throw new UserError(`\`${name}\` is ${kindOf(given)}. ${advice}`);
}

function checkStates(states: readonly string[] | undefined, known: object): void {
  const given: unknown = states;
  if (given === undefined) return;
  if (!Array.isArray(given)) throw new UserError(`\`states\` is ${kindOf(given)}. Pass a list.`);
  for (const state of given) requireOneOf('states', state, Object.keys(known));
}
