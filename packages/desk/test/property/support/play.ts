import type { Desk, Decision, HoldRow, HoldState, GrantRequest, RunState } from '@holdpoint/desk';
import type { JsonObject, JsonValue } from 'holdpoint';
import { canonicalJson } from 'holdpoint/ledger';
import { CAST, personAt, rolesOf } from './cast.ts';
import { forge } from './forge.ts';
import {
  accept,
  type KnownGrant,
  type KnownHold,
  mayVote,
  requireApproved,
  requireGranted,
  requireTrue,
  SCOPES,
  widestScope,
} from './oracle.ts';
import { ruleFor } from './policy-spec.ts';
import type { Seen, Shown } from './shown.ts';
import { promptFor, type Stage } from './stage.ts';
import type { Action, DecideAction, PayArgs, GrantSpec, Story } from './stories.ts';

/**
 * The number of times that each event occurred in stories. A property without events proves
 * nothing.
 */
export interface Tally {
  executions: number;
  byGrant: number;
  edited: number;
  quorums: number;
  refusals: number;
  requestedAgain: number;
  reopened: number;
  expired: number;
  inDoubt: number;
  byLink: number;
}

export function newTally(): Tally {
  return {
    executions: 0,
    byGrant: 0,
    edited: 0,
    quorums: 0,
    refusals: 0,
    requestedAgain: 0,
    reopened: 0,
    expired: 0,
    inDoubt: 0,
    byLink: 0,
  };
}

let stories = 0;

/** Plays a story in its own tenant. Throws a `Violation` if the property is violated. */
export async function play(stage: Stage, story: Story, tally: Tally = newTally()): Promise<void> {
  stories += 1;
  stage.deploy(story.deployment);
  stage.executions.length = 0;
  const run = new StoryRun(stage, `story-${stories}`, tally);
  for (const action of story.actions) await run.do(action);
  await run.do({ kind: 'work', retries: false });
}

/** A display of a hold to a person, with its digest and contents at that time. */
interface Look {
  readonly digest: string;
  readonly seen: Seen;
}

const STATES: readonly HoldState[] = [
  'open',
  'decided',
  'consumed',
  'expired',
  'superseded',
  'cancelled',
];

const OVER: readonly RunState[] = ['finished', 'failed', 'cancelled'];

/** A story during its execution. It records displays and decisions independently of the desk. */
class StoryRun {
  readonly #stage: Stage;
  readonly #tenant: string;
  readonly #tally: Tally;
  readonly #holds = new Map<string, KnownHold>();
  readonly #grants = new Map<string, KnownGrant>();
  readonly #newGrants: KnownGrant[] = [];
  readonly #looks = new Map<string, Look>();
  readonly #links = new Map<string, Look & { readonly token: string }>();
  readonly #runs = new Map<
    string,
    { readonly conversation: 0 | 1; readonly agent: string; readonly requester: number | undefined }
  >();
  readonly #liveRuns = new Set<string>();
  readonly #writers: readonly (number | undefined)[][] = [[], []];
  readonly #conversations: (string | undefined)[] = [undefined, undefined];
  readonly #denied = new Set<string>();
  readonly #sentBack = new Set<string>();
  readonly #executed = new Set<string>();

  constructor(stage: Stage, tenant: string, tally: Tally) {
    this.#stage = stage;
    this.#tenant = tenant;
    this.#tally = tally;
  }

  get #desk(): Desk {
    return this.#stage.desk(this.#tenant);
  }

  async do(action: Action): Promise<void> {
    switch (action.kind) {
      case 'prompt':
        await this.#prompt(action);
        await this.#work();
        break;
      case 'look':
        await this.#look(action.person, (await this.#openHold(action.hold))?.hold);
        break;
      case 'decide':
        await this.#decide(action);
        break;
      case 'work':
        if (action.retries) await this.#retry();
        await this.#work();
        break;
      case 'crash':
        await this.#stage.workUntilCrash(action, () => this.#work());
        await this.#observe();
        break;
      case 'revoke':
        await this.#revoke(action.grant);
        break;
      case 'wait':
        await this.#stage.clock.advance(action.ms);
        break;
      case 'deploy':
        this.#stage.deploy({ ...this.#stage.deployment, ...action.deployment });
        break;
      case 'tamper':
        await this.#tamper(action);
        break;
    }
  }

  async #prompt({ by, conversation, calls, agent }: Action & { kind: 'prompt' }): Promise<void> {
    // The order of two runs with the same time is unknown.
    await this.#stage.clock.advance(1);
    const prompt = promptFor(calls.map((args) => this.#sent(args)));
    const requester = by === undefined ? undefined : personAt(by, calls.length);
    const known = this.#conversations[conversation];
    let runId: string;
    try {
      runId =
        known === undefined
          ? await this.#desk.start(agent, prompt, { requester })
          : await this.#desk.message(known, prompt, { requester, onOpenHolds: 'supersede' });
    } catch (error) {
      this.#rejected(error);
      return;
    }
    this.#writers[conversation]?.push(by);
    if (this.#runs.has(runId)) return;
    const run = await this.#desk.run(runId);
    this.#conversations[conversation] = run.conversationId;
    this.#liveRuns.add(runId);
    this.#runs.set(runId, { conversation, agent: run.agent, requester: by });
  }

  /** The plain schema has no default, so a call without an amount would not be valid. */
  #sent(args: PayArgs): JsonObject {
    return this.#stage.deployment.schema === 'plain' ? { euros: 5, ...args } : { ...args };
  }

  async #work(): Promise<void> {
    for (const runId of this.#liveRuns) {
      const { state } = await this.#desk.work({ runId });
      if (OVER.includes(state)) this.#liveRuns.delete(runId);
    }
    await this.#observe();
  }

  async #retry(): Promise<void> {
    for (const runId of this.#liveRuns) {
      const { state } = await this.#desk.run(runId);
      if (state === 'stuck') await this.#desk.retry(runId, { by: personAt(0) });
    }
  }

  async #openHold(index: number): Promise<{ hold: HoldRow; known: KnownHold } | undefined> {
    const { items } = await this.#stage.bareDesk(this.#tenant).holds({ limit: 10 });
    const open = this.#inOrder(items);
    const hold = open[index % (open.length || 1)];
    const known = hold && this.#holds.get(hold.id);
    return hold && known && { hold, known };
  }

  /** Sorts holds by their runs, as the story started them, and by the order in which calls were deferred. */
  #inOrder(holds: readonly HoldRow[]): readonly HoldRow[] {
    const runs = [...this.#runs.keys()];
    return holds.toSorted(
      (one, other) =>
        runs.indexOf(one.runId) - runs.indexOf(other.runId) ||
        one.park - other.park ||
        one.callIndex - other.callIndex,
    );
  }

  async #look(person: number, hold: HoldRow | undefined): Promise<Look | undefined> {
    if (hold === undefined) return undefined;
    const look = { digest: hold.digest, seen: shownOf(hold) };
    this.#looks.set(lookKey(person, hold), look);
    return look;
  }

  async #decide(action: DecideAction): Promise<void> {
    const open = await this.#openHold(action.hold);
    if (open === undefined) return;
    const { hold, known } = open;
    const cast = action.isFitting ? this.#fitting(action, known, hold) : action;
    const { person, through } = cast;
    try {
      if (through === 'link') {
        await this.#decideByLink(cast, hold, known);
        return;
      }
      const seen = this.#looks.get(lookKey(person, hold));
      const look = cast.looks || seen === undefined ? await this.#look(person, hold) : seen;
      if (look !== undefined) await this.#decideAtDesk(cast, hold, known, look);
    } catch (error) {
      this.#rejected(error, known.isForged);
    }
  }

  /** Returns a decision that the desk probably accepts, as in most stories. */
  #fitting(action: DecideAction, known: KnownHold, hold: HoldRow): DecideAction {
    const { person: first, grant: grantRequest, looks } = action;
    const { policy } = this.#stage.deployment;
    const others = CAST.map((_, index) => (first + index) % CAST.length);
    const able = others.filter((one) => mayVote(known, policy, one, hold.digest));
    const isReady = (one: number) => looks || this.#looks.has(lookKey(one, hold));
    const person = able.find(isReady) ?? able[0] ?? first;
    const widest = widestScope(known);
    const isWide = SCOPES.indexOf(grantRequest.scope) > SCOPES.indexOf(widest);
    const scope = isWide && widest !== 'never' ? widest : grantRequest.scope;
    return { ...action, person, sendsRoles: true, grant: { ...grantRequest, scope } };
  }

  async #decideAtDesk(
    action: DecideAction,
    hold: HoldRow,
    known: KnownHold,
    look: Look,
  ): Promise<void> {
    const { person, spelling, sendsRoles, decision, args, through } = action;
    const desk = through === 'desk' ? this.#desk : this.#stage.bareDesk(this.#tenant);
    const typed = { ...args };
    const described =
      decision === 'edit' && action.isDescribed
        ? await desk.previewEdit(hold.id, typed)
        : undefined;
    const roles = sendsRoles ? rolesOf(person) : [];
    const grantRequest =
      decision === 'grant' ? grantRequestOf(action.grant, look.seen.args) : undefined;
    const given = decision === 'retry' ? this.#changes(args) : decisionOf(decision, typed);
    const after = await desk.decide(hold.id, given, {
      by: personAt(person, spelling),
      digest: look.digest,
      roles,
      grant: grantRequest,
      shown: described?.shown,
    });
    const shown = shownOf(after);
    const original = originalOf(hold);
    const seenEdit: Seen =
      shown.original === undefined
        ? { args: described?.args ?? typed, preview: described?.preview }
        : { args: typed, preview: undefined, original };
    // The same edit by another person is a vote for the proposal that they were shown.
    const isProposal = decision === 'edit' && after.digest !== look.digest;
    await this.#accepted(known, action, {
      look: isProposal ? { ...look, seen: seenEdit } : look,
      before: hold,
      after,
      roles,
    });
  }

  /** Returns a request for another call, which the model makes. */
  #changes(args: PayArgs): Decision {
    return { kind: 'retry', message: promptFor([this.#sent(args)]) };
  }

  async #decideByLink(action: DecideAction, hold: HoldRow, known: KnownHold): Promise<void> {
    const { person } = action;
    const kind = action.decision === 'deny' ? 'deny' : 'approve';
    const key = lookKey(person, hold);
    let link = this.#links.get(key);
    if (link === undefined) {
      const { url } = await this.#desk.decisionLink(hold.id, {
        for: personAt(person, action.spelling),
        roles: rolesOf(person),
        expiresAfter: 20_000,
      });
      const token = url.split('/').at(-1) ?? '';
      const opened = await this.#desk.openLink(token);
      if (opened === undefined) return;
      link = { token, digest: opened.link.digest, seen: shownOf(opened.hold) };
      this.#links.set(key, link);
      if (!action.looks) return;
    }
    const after = await this.#desk.decideByLink(link.token, decisionOf(kind, {}));
    this.#links.delete(key);
    this.#tally.byLink += 1;
    const given = { ...action, decision: kind } as const;
    await this.#accepted(known, given, { look: link, before: hold, after, roles: rolesOf(person) });
  }

  async #accepted(
    known: KnownHold,
    { person, decision, through, grant: grantRequest }: DecideAction,
    {
      look,
      before,
      after,
      roles,
    }: {
      readonly look: Look;
      readonly before: HoldRow;
      readonly after: HoldRow;
      readonly roles: readonly string[];
    },
  ): Promise<void> {
    const { deployment, clock } = this.#stage;
    const grant = accept(known, {
      person,
      roles,
      seen: look.seen,
      decision,
      argsBefore: shownOf(before).args,
      digest: look.digest,
      grant: grantRequest,
      policy: through === 'bare desk' ? undefined : deployment.policy,
      at: clock.now(),
      after: { digest: after.digest, isDecided: after.state === 'decided', shown: shownOf(after) },
    });
    if (decision === 'deny') this.#denied.add(deniedKey(before));
    if (decision === 'retry') this.#sentBack.add(sentBackKey(before));
    if (grant !== undefined) this.#newGrants.push(grant);
  }

  async #revoke(index: number): Promise<void> {
    await this.#observe();
    const [id, grant] = [...this.#grants][index % (this.#grants.size || 1)] ?? [];
    if (id === undefined || grant === undefined) return;
    await this.#desk.revokeGrant(id, { by: personAt(0) });
    grant.isRevoked = true;
  }

  async #tamper({ what, hold: index, person }: Action & { kind: 'tamper' }): Promise<void> {
    const live = [...this.#holds.values()].filter(
      ({ decision, isClosed }) => decision !== undefined || !isClosed,
    );
    const known = live[live.length - 1 - (index % (live.length || 1))];
    if (known === undefined) return;
    const isForged = await forge(this.#stage.store, this.#tenant, known, what, person);
    if (isForged) known.isForged = true;
  }

  /** Records new holds and grants, and checks every execution since. */
  async #observe(): Promise<void> {
    const desk = this.#stage.bareDesk(this.#tenant);
    if (this.#newGrants.length > 0) await this.#observeGrants(desk);
    const { items } = await desk.holds({ states: STATES, limit: 100 });
    for (const hold of this.#inOrder(items)) {
      const known = this.#holds.get(hold.id);
      if (known === undefined) this.#observeNew(hold);
      else if (hold.state === 'open' && known.decision !== undefined) this.#observeReopened(known);
      else if (hold.outcome === 'expired') this.#tally.expired += 1;
    }
    for (const execution of this.#stage.executions.splice(0)) {
      const { approval } = execution;
      const hold = [...this.#holds.values()].findLast((one) =>
        one.ballots.has(approval?.digest ?? ''),
      );
      requireTrue(hold !== undefined, 'a call executed that was never held');
      if (hold === undefined) return;
      const id = `${hold.id} ${approval?.digest}`;
      requireTrue(!this.#executed.has(id), 'an approved call executed twice');
      this.#executed.add(id);
      const { args } = hold.parked;
      requireApproved(execution, hold, { args, preview: this.#stage.previewOf(args) });
      this.#count(hold);
    }
  }

  #count(hold: KnownHold): void {
    this.#tally.executions += 1;
    if (hold.grant !== undefined) this.#tally.byGrant += 1;
    if (hold.author !== undefined) this.#tally.edited += 1;
    if (hold.rules.some(({ count = 1 }) => count > 1)) this.#tally.quorums += 1;
  }

  async #observeGrants(desk: Desk): Promise<void> {
    for (const { id, holdId, createdAt } of (await desk.grants({ limit: 100 })).items) {
      if (this.#grants.has(id)) continue;
      const made = this.#newGrants.find((one) => one.origin.id === holdId && one.at === createdAt);
      requireTrue(made !== undefined, 'there is a grant that was not agreed to');
      if (made !== undefined) this.#grants.set(id, made);
    }
    this.#newGrants.length = 0;
  }

  #observeNew(hold: HoldRow): void {
    const { id, runId, key, conversationId, digest } = hold;
    const run = this.#runs.get(runId);
    if (run === undefined) throw new Error(`Run '${runId}' is not of this story.`);
    const { deployment, clock } = this.#stage;
    const parked = originalOf(hold);
    const isRequestedAgain = [...this.#holds.values()].some(
      (one) => one.runId === runId && one.callKey === key,
    );
    const known: KnownHold = {
      id,
      runId,
      callKey: key,
      conversation: conversationId,
      agent: run.agent,
      requesters: [...(this.#writers[run.conversation] ?? [])],
      requester: run.requester,
      deployment,
      parked,
      expiresAt: clock.now() + (deployment.policy.expiresAfter ?? Infinity),
      rules: [ruleFor(deployment.policy, parked.args)],
      editRules: [],
      author: undefined,
      ballots: new Map([[digest, { votes: [], grant: undefined }]]),
      decision: undefined,
      isClosed: false,
      grant: undefined,
      isForged: false,
    };
    this.#holds.set(id, known);
    if (isRequestedAgain) this.#tally.requestedAgain += 1;
    if (hold.inDoubt !== undefined) this.#tally.inDoubt += 1;
    if (hold.decidedBy?.kind !== 'grant') return;
    const grant = this.#grants.get(hold.decidedBy.grantId);
    requireTrue(grant !== undefined, 'a hold was decided by an unknown grant');
    if (grant === undefined) return;
    known.grant = grant;
    known.decision = { digest, at: clock.now() };
    // Every delegation starts a new history of the sub-agent, without earlier denials.
    const isDenied = hold.path.length === 0 && this.#denied.has(deniedKey(hold));
    const isSpecial = isRequestedAgain || isDenied || this.#sentBack.has(sentBackKey(hold));
    requireGranted(known, grant, clock.now(), isSpecial);
  }

  #observeReopened(known: KnownHold): void {
    known.decision = undefined;
    known.grant = undefined;
    const { clock } = this.#stage;
    known.expiresAt = clock.now() + (known.deployment.policy.expiresAfter ?? Infinity);
    // Earlier votes do not count again.
    known.ballots.clear();
    this.#tally.reopened += 1;
  }

  #rejected(error: unknown, isForged = false): void {
    const isCoded = error instanceof Error && 'code' in error;
    if (!isCoded && !isForged) throw error;
    if (error instanceof Error && error.name === 'Violation') throw error;
    this.#tally.refusals += 1;
  }
}

function lookKey(person: number, { runId, key }: HoldRow): string {
  return `${person} ${runId} ${key}`;
}

function sentBackKey({ runId, path }: HoldRow): string {
  return `${runId} ${path.length}`;
}

function deniedKey({ conversationId, path, args }: HoldRow): string {
  return `${conversationId} ${path.length} ${canonicalJson(args)}`;
}

/** Returns the call of a hold, without an edit, as its page shows it. */
function originalOf({ args, validatedArgs, preview }: HoldRow): Shown {
  return { args: validatedArgs ?? args, preview };
}

/** Returns the facts that the page of a hold shows to a person. */
function shownOf(hold: HoldRow): Seen {
  const { proposal } = hold;
  const edit = proposal?.decision?.kind === 'approve' ? proposal.decision.args : undefined;
  if (edit === undefined) return originalOf(hold);
  if (proposal?.shown !== undefined) {
    return { args: proposal.shown.args, preview: proposal.shown.preview };
  }
  return { args: edit, preview: undefined, original: originalOf(hold) };
}

function decisionOf(decision: DecideAction['decision'], args: JsonObject): Decision {
  if (decision === 'deny') return { kind: 'deny' };
  return decision === 'edit' ? { kind: 'approve', args } : { kind: 'approve' };
}

function grantRequestOf(
  { match, scope, expiresAfter, uses }: GrantSpec,
  args: JsonValue,
): GrantRequest {
  // All schemas of the stories have a payee.
  const { to } = args as { readonly to: string };
  return { match: match === 'payee' ? { args: { to } } : match, scope, expiresAfter, uses };
}
