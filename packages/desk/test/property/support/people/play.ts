import { type Desk, DeskError, type HoldRow, openDesk, type Store } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';
import type { TestClock } from '../test-clock.ts';
import { firstRolesOf, indexOf, personAt } from './cast.ts';
import {
  type KnownDelegation,
  type KnownHold,
  requireAcceptable,
  requireMet,
  requireTrue,
} from './oracle.ts';
import type { Action, DecideAction, Story } from './stories.ts';

/**
 * The number of times that each event occurred in stories. A property without events proves
 * nothing.
 */
export interface PeopleTally {
  executions: number;
  quorums: number;
  escalated: number;
  delegated: number;
  edited: number;
  refusals: number;
  requestedAgain: number;
  reminders: number;
  denied: number;
  changesRequested: number;
}

export function newPeopleTally(): PeopleTally {
  return {
    executions: 0,
    quorums: 0,
    escalated: 0,
    delegated: 0,
    edited: 0,
    refusals: 0,
    requestedAgain: 0,
    reminders: 0,
    denied: 0,
    changesRequested: 0,
  };
}

const ARGS = JSON.stringify({ euros: 10 });
const EDITED = JSON.stringify({ euros: 5 });

let stories = 0;

/** Plays a story in its own tenant. Throws a `Violation` if the property is violated. */
export async function playPeople(
  { store, clock }: { readonly store: Store; readonly clock: TestClock },
  story: Story,
  tally: PeopleTally = newPeopleTally(),
): Promise<void> {
  stories += 1;
  const played = new PeopleStory(store, clock, story, tally, `people-${stories}`);
  await played.start();
  for (const action of story.actions) await played.do(action);
  await played.end();
}

class PeopleStory {
  readonly #clock: TestClock;
  readonly #story: Story;
  readonly #tally: PeopleTally;
  readonly #desk: Desk;
  readonly #roles = new Map<number, readonly string[]>();
  readonly #delegations: KnownDelegation[] = [];
  readonly #holds = new Map<string, KnownHold>();
  /** The arguments with which the tool was executed, and the rule that was in force then. */
  readonly #executed: string[] = [];
  #version: 0 | 1 = 0;
  #runId = '';

  constructor(store: Store, clock: TestClock, story: Story, tally: PeopleTally, tenant: string) {
    this.#clock = clock;
    this.#story = story;
    this.#tally = tally;
    const pay = tool({
      name: 'pay',
      inputSchema: z.object({ euros: z.number() }),
      requiresApproval: true,
      execute: (args) => {
        this.#executed.push(JSON.stringify(args));
        this.#requireApproved(JSON.stringify(args));
        return 'paid';
      },
    });
    const model = functionModel(({ messages }) =>
      messages.length === 1 ? calls('pay', JSON.parse(ARGS)) : says('Done.'),
    );
    const agent = new Agent({ model, tools: [pay], output: [String, DeferredToolRequests] });
    this.#desk = openDesk({
      store,
      agents: { payer: { agent } },
      approvers: () => this.#rule,
      ...(story.hasDirectory && { rolesOf: ({ id }) => this.#rolesOf(indexOf(id)) }),
      // Violations in the tool are rethrown at the end of the story.
      onError: () => {},
    }).forTenant(tenant);
  }

  get #rule() {
    return this.#story.rules[this.#version];
  }

  async start(): Promise<void> {
    const requester = personAt(this.#story.requester);
    this.#runId = await this.#desk.start('payer', 'pay', { requester });
    await this.#drain();
  }

  async end(): Promise<void> {
    await this.#drain();
    const events = (await this.#desk.events({ limit: 500 })).items;
    this.#tally.reminders += events.filter(({ kind }) => kind === 'hold-reminder').length;
    const { state } = await this.#desk.run(this.#runId);
    if (!['finished', 'failed', 'cancelled'].includes(state)) {
      // Timers of this story must not be due in the next one.
      await this.#desk.cancel(this.#runId, { by: personAt(0) });
    }
  }

  async do(action: Action): Promise<void> {
    switch (action.kind) {
      case 'advance':
        await this.#clock.advance(action.ms);
        break;
      case 'drain':
        await this.#drain();
        break;
      case 'delegate':
        await this.#delegate(action);
        break;
      case 'revoke': {
        const delegation = this.#delegations[action.index];
        if (delegation === undefined) break;
        await this.#desk.revokeDelegation(delegation.id, { by: personAt(delegation.from) });
        delegation.isRevoked = true;
        break;
      }
      case 'roles':
        this.#roles.set(action.person, action.has ? firstRolesOf(action.person) : []);
        break;
      case 'deploy':
        this.#version = action.version;
        break;
      case 'decide':
        await this.#decide(action);
        break;
    }
  }

  /** Performs the due tasks, and records new holds. */
  async #drain(): Promise<void> {
    await this.#desk.drain();
    this.#rethrow();
    for (const { id } of (await this.#desk.holds({ runId: this.#runId })).items) {
      if (this.#holds.has(id)) continue;
      if (this.#holds.size > 0) this.#tally.requestedAgain += 1;
      this.#holds.set(id, {
        openedAt: this.#clock.now(),
        requester: this.#story.requester,
        rules: [this.#rule],
        ballots: new Map(),
        authors: [],
        decided: undefined,
        isClosed: false,
      });
    }
  }

  #violation: unknown;

  /** The tool's exception would only be a failed attempt of the run. */
  #requireApproved(args: string): void {
    try {
      requireTrue(this.#executed.length === 1, 'a call executed twice');
      const known = [...this.#holds.values()].findLast(({ decided }) => decided !== undefined);
      if (known === undefined) throw new Error('The hold of the call is not known.');
      requireMet(known, [...known.rules, this.#rule], args);
      this.#tally.executions += 1;
      if (this.#rule.count !== 1) this.#tally.quorums += 1;
      if (args === EDITED) this.#tally.edited += 1;
    } catch (error) {
      this.#violation ??= error;
    }
  }

  #rethrow(): void {
    if (this.#violation !== undefined) throw this.#violation;
  }

  async #delegate({ from, to, ms }: Extract<Action, { kind: 'delegate' }>): Promise<void> {
    if (from === to) return;
    const endsAt = this.#clock.now() + ms;
    const roles = this.#rolesOf(from);
    try {
      const people = { from: personAt(from), to: personAt(to) };
      const { id } = await this.#desk.delegate({ ...people, roles, until: endsAt });
      this.#delegations.push({ id, from, to, roles, endsAt, isRevoked: false });
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
    }
  }

  async #decide(wanted: DecideAction): Promise<void> {
    const used = this.#delegations[wanted.delegation ?? Number.NaN];
    const action = used ? { ...wanted, person: used.to, onBehalfOf: used.from } : wanted;
    const [open] = (await this.#desk.holds({ runId: this.#runId })).items;
    const known = open && this.#holds.get(open.id);
    if (open === undefined || known === undefined) return;
    let after: HoldRow;
    try {
      after = await this.#send(action, open);
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
      this.#tally.refusals += 1;
      return;
    }
    this.#accept(known, action, after, open.digest);
  }

  async #send({ person, onBehalfOf, decision }: DecideAction, hold: HoldRow): Promise<HoldRow> {
    const { id, digest } = hold;
    const options = {
      by: personAt(person),
      roles: this.#rolesOf(person),
      digest,
      ...(onBehalfOf !== undefined && { onBehalfOf: personAt(onBehalfOf) }),
    };
    if (decision === 'retry') {
      return this.#desk.decide(id, { kind: 'retry', message: 'Which one?' }, options);
    }
    if (decision !== 'edit') return this.#desk.decide(id, { kind: decision }, options);
    const args = JSON.parse(EDITED);
    const { shown } = await this.#desk.previewEdit(id, args);
    return this.#desk.decide(id, { kind: 'approve', args }, { ...options, shown });
  }

  #accept(known: KnownHold, action: DecideAction, after: HoldRow, before: string): void {
    const { person: actor, decision } = action;
    const authority = action.onBehalfOf ?? actor;
    const at = this.#clock.now();
    const vote = { actor, authority, roles: this.#lentRoles(actor, authority), at };
    known.rules.push(this.#rule);
    requireTrue(known.decided === undefined && !known.isClosed, 'a settled hold was decided');
    // An equal edit agrees with the proposal.
    const kind = decision === 'edit' && after.digest === before ? 'approve' : decision;
    requireAcceptable(known, vote, this.#delegations, kind);
    if (actor !== authority) this.#tally.delegated += 1;
    if (after.escalatedAfter !== undefined) this.#tally.escalated += 1;
    if (decision === 'deny' || decision === 'retry') {
      requireTrue(after.state !== 'open', 'a denial or a request for changes left a hold open');
      known.isClosed = true;
      this.#tally[decision === 'deny' ? 'denied' : 'changesRequested'] += 1;
      return;
    }
    if (kind === 'edit') known.authors = [actor, authority];
    const args = known.authors.length > 0 ? EDITED : ARGS;
    const ballot = known.ballots.get(after.digest) ?? { args, votes: [] };
    known.ballots.set(after.digest, ballot);
    ballot.votes.push(vote);
    if (after.state !== 'open') known.decided = { digest: after.digest, at };
  }

  #rolesOf(person: number): readonly string[] {
    return this.#roles.get(person) ?? firstRolesOf(person);
  }

  /** Returns the roles of an authority that a vote may use. */
  #lentRoles(actor: number, authority: number): readonly string[] {
    if (actor === authority) return this.#rolesOf(actor);
    const lent = this.#delegations.findLast(
      ({ from, to, endsAt, isRevoked }) =>
        from === authority && to === actor && this.#clock.now() < endsAt && !isRevoked,
    );
    const roles = lent?.roles ?? [];
    if (!this.#story.hasDirectory) return roles;
    return roles.filter((role) => this.#rolesOf(authority).includes(role));
  }
}
