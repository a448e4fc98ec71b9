import {
  type ApproverRule,
  type Desk,
  type HoldAnswer,
  type HoldRow,
  type HoldState,
  openDesk,
  type Remember,
  type RunRow,
} from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { z } from 'zod';
import { echoModel, output } from '../../support/bank.ts';
import type { OpenedStore } from '../../support/opened-store.ts';
import type { Command, VoteCommand } from './commands.ts';
import {
  agrees,
  type Askers,
  type Execution,
  type KnownGrant,
  type KnownHold,
  requireApproved,
  requireTrue,
  take,
} from './oracle.ts';
import { PEOPLE, POLICIES } from './rules.ts';

const STATES: readonly HoldState[] = ['open', 'decided', 'consumed', 'cancelled', 'superseded'];

/** How often something has happened that a test is about: a test in which nothing does shows nothing. */
export interface Tally {
  executions: number;
  byGrant: number;
  refusals: number;
  reopened: number;
  voided: number;
}

/**
 * A desk to which things happen, and what is known of it from outside. What runs is compared with what
 * people have said, and not with what the desk has stored of it.
 */
export class World {
  readonly #opened: OpenedStore;
  readonly #desks: readonly (readonly Desk[])[];
  readonly #holds = new Map<string, KnownHold>();
  readonly #runs: { readonly id: string; readonly requester: number | undefined }[] = [];
  /** Everyone who has asked for something, by conversation. */
  readonly #askers = new Map<string, Askers>();
  readonly #grants = new Map<string, KnownGrant>();
  readonly #made: KnownGrant[] = [];
  /** Which grants have decided which holds, as the desk says. */
  readonly #decidedBy = new Map<string, string>();
  readonly #executions: Execution[] = [];
  readonly #ran = new Set<string>();
  readonly #tally: Tally;
  #policy = 0;
  #version = 0;

  constructor(opened: OpenedStore, tally: Tally) {
    this.#opened = opened;
    this.#tally = tally;
    this.#desks = POLICIES.map((rules) =>
      [0, 1].map((version) =>
        openDesk({
          store: opened.store,
          agents: { teller: { agent: this.#agent(version) } },
          approvers: ({ args }) => rules[(args as { to: string }).to] ?? {},
        }),
      ),
    );
  }

  get #desk(): Desk {
    return this.#desks[this.#policy]![this.#version]!;
  }

  async do(command: Command): Promise<void> {
    switch (command.kind) {
      case 'start':
        await this.#start(command);
        break;
      case 'rush':
        await this.#rush(command);
        break;
      case 'votes':
        await this.#vote(command.votes);
        break;
      case 'work':
        await Promise.all(Array.from({ length: command.workers }, () => this.#desk.workOff()));
        break;
      case 'pass':
        this.#opened.clock.advance(command.ms);
        break;
      case 'message':
        await this.#message(command);
        break;
      case 'revoke':
        await this.#revoke(command.grant);
        break;
      case 'cancel':
        await this.#cancel(command.run);
        break;
      case 'policy':
        this.#policy = command.policy;
        break;
      case 'tool':
        this.#version = command.version;
        break;
    }
    await this.#look();
    this.#check();
  }

  #agent(version: number) {
    const schema = z.object({ to: z.string(), euros: z.number().default(10) });
    const shape = version === 0 ? schema : schema.extend({ memo: z.string().optional() });
    const pay = tool({
      name: 'pay',
      inputSchema: shape,
      requiresApproval: true,
      execute: ({ to, euros }, ctx) => {
        const { runId, toolCallId } = ctx;
        this.#executions.push({
          runId: runId.split('.')[0]!,
          toolCallId: String(toolCallId),
          args: { to, euros },
          version,
          at: this.#opened.clock.now(),
        });
        return 'paid';
      },
    });
    return new Agent({ name: 'teller', model: echoModel, tools: [pay], output });
  }

  async #start({ to, requester, after, isWorkedOn }: Command & { kind: 'start' }): Promise<void> {
    // Of two runs of one moment nobody can say which is the later one.
    this.#opened.clock.advance(1);
    const earlier = after === undefined ? undefined : this.#runs[after % (this.#runs.length || 1)];
    const run = earlier && (await this.#desk.run(earlier.id));
    const isOver = run !== undefined && ['finished', 'cancelled', 'failed'].includes(run.state);
    const live = isOver && (await this.#liveIn(run));
    const id = await this.#desk.start('teller', `pay ${to}`, {
      requester: requester === undefined ? undefined : { id: PEOPLE[requester]!.spellings[0]! },
      conversationId: isOver && !live ? run.conversationId : undefined,
    });
    const { conversationId } = await this.#desk.run(id);
    this.#runs.push({ id, requester });
    this.#asks(conversationId, requester);
    if (isWorkedOn) await this.#desk.work({ runId: id });
  }

  async #rush({ to, requester, runs }: Command & { kind: 'rush' }): Promise<void> {
    for (let started = 0; started < runs; started += 1) {
      await this.#start({ kind: 'start', to, requester, after: undefined, isWorkedOn: false });
    }
    await Promise.all(Array.from({ length: runs }, () => this.#desk.workOff()));
  }

  async #liveIn({ conversationId }: RunRow): Promise<boolean> {
    const states = ['ready', 'running', 'parked', 'stuck'] as const;
    return (await this.#desk.runs({ conversationId, states })).items.length > 0;
  }

  /** All at once; they are noted in the order in which the desk has taken them. */
  async #vote(votes: readonly VoteCommand[]): Promise<void> {
    const open = (await this.#desk.holds({ limit: 100 })).items;
    if (open.length === 0) return;
    await Promise.all(votes.map((vote) => this.#answer(open[vote.hold % open.length]!, vote)));
  }

  async #answer(hold: HoldRow, vote: VoteCommand): Promise<void> {
    const known = this.#holds.get(hold.id)!;
    const { spellings, roles } = PEOPLE[vote.person]!;
    const looked = vote.isStale ? known.shown[0]! : known.shown.at(-1)!;
    const before = known.voters.size;
    try {
      const answered = await this.#desk.answer(hold.id, answerOf(known, vote), {
        by: { id: spellings[vote.spelling % spellings.length]! },
        digest: looked.digest,
        roles: vote.saysRoles ? roles : undefined,
        remember: rememberOf(known, vote),
      });
      const isProposal = !agrees(known, vote);
      const now = this.#opened.clock.now();
      const rule = this.#ruleOf(known.args);
      const grant = take(known, vote, looked, { now, rule });
      if (grant !== undefined) this.#made.push(grant);
      if (isProposal && before > 0) this.#tally.voided += 1;
      const isDecided = known.isDenied || known.decidedAt !== undefined;
      requireTrue((answered.state === 'decided') === isDecided, 'the desk counts otherwise');
      if (vote.says !== 'deny') show(known, answered.digest);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      this.#tally.refusals += 1;
    }
  }

  async #message({ run, by, to }: Command & { kind: 'message' }): Promise<void> {
    const known = this.#runs[run % (this.#runs.length || 1)];
    const row = known && (await this.#desk.run(known.id));
    if (known === undefined || row?.state !== 'parked') return;
    await this.#desk.message(row.conversationId, `pay ${to}`, {
      requester: by === undefined ? undefined : { id: PEOPLE[by]!.spellings[0]! },
      onOpenHolds: 'supersede',
    });
    this.#asks(row.conversationId, by);
  }

  #asks(conversationId: string, asker: number | undefined): void {
    this.#askers.set(conversationId, [...(this.#askers.get(conversationId) ?? []), asker]);
  }

  async #revoke(number: number): Promise<void> {
    const ids = [...this.#grants.keys()];
    const id = ids[number % (ids.length || 1)];
    if (id === undefined) return;
    await this.#desk.revokeGrant(id, { by: { id: 'ada' } });
    const grant = this.#grants.get(id)!;
    grant.revokedAt ??= this.#opened.clock.now();
  }

  async #cancel(number: number): Promise<void> {
    const run = this.#runs[number % (this.#runs.length || 1)];
    if (run === undefined) return;
    const { state } = await this.#desk.run(run.id);
    if (state !== 'finished') await this.#desk.cancel(run.id, { by: { id: 'ada' } });
  }

  /** Sees what is new. */
  async #look(): Promise<void> {
    for (const { id, holdId, createdAt } of (await this.#desk.grants({ limit: 500 })).items) {
      if (this.#grants.has(id)) continue;
      const made = this.#made.find((one) => one.hold.id === holdId && one.at === createdAt);
      requireTrue(made !== undefined, 'there is a grant that nobody has agreed to');
      this.#grants.set(id, made!);
    }
    for (const hold of (await this.#desk.holds({ states: STATES, limit: 500 })).items) {
      const known = this.#holds.get(hold.id);
      if (hold.decidedBy?.kind === 'grant') this.#decidedBy.set(hold.id, hold.decidedBy.grantId);
      else this.#decidedBy.delete(hold.id);
      if (known === undefined) this.#holds.set(hold.id, this.#know(hold));
      else this.#seeAgain(known, hold);
    }
  }

  #know(hold: HoldRow): KnownHold {
    const { id, runId, key, conversationId, digest } = hold;
    const args = hold.args as KnownHold['args'];
    return {
      id,
      runId,
      toolCallId: key,
      conversationId,
      rules: [this.#ruleOf(args)],
      editRules: [],
      author: undefined,
      requester: this.#runs.find((run) => run.id === runId)!.requester,
      askers: this.#askers.get(conversationId)!,
      version: this.#version,
      shown: [{ digest, changes: 0 }],
      changes: 0,
      args,
      voters: new Map(),
      remember: undefined,
      isDenied: false,
      decidedAt: undefined,
    };
  }

  #ruleOf({ to }: KnownHold['args']): ApproverRule {
    return POLICIES[this.#policy]![to] ?? {};
  }

  #seeAgain(known: KnownHold, hold: HoldRow): void {
    if (hold.state !== 'open' || known.decidedAt === undefined) return;
    this.#tally.reopened += 1;
    known.decidedAt = undefined;
    known.voters = new Map();
    // What was to be remembered was.
    known.remember = undefined;
    known.changes += 1;
    show(known, hold.digest);
  }

  #check(): void {
    for (const execution of this.#executions.splice(0)) {
      const { runId, toolCallId } = execution;
      const call = `${runId} ${toolCallId}`;
      requireTrue(!this.#ran.has(call), 'a call has run twice');
      this.#ran.add(call);
      const hold = [...this.#holds.values()].findLast(
        (one) => one.runId === runId && one.toolCallId === toolCallId,
      );
      requireTrue(hold !== undefined, 'a call has run that never waited');
      requireApproved(execution, hold!, this.#grantOf(hold!.id));
      this.#tally.executions += 1;
    }
  }

  /** The grant that the desk says has decided a hold. */
  #grantOf(holdId: string): KnownGrant | undefined {
    const grantId = this.#decidedBy.get(holdId);
    if (grantId === undefined) return undefined;
    this.#tally.byGrant += 1;
    const grant = this.#grants.get(grantId);
    requireTrue(grant !== undefined, 'a hold was decided by a grant that there is not');
    return grant;
  }
}

function show(known: KnownHold, digest: string): void {
  known.shown.push({ digest, changes: known.changes });
}

function answerOf(hold: KnownHold, { says, euros }: VoteCommand): HoldAnswer {
  if (says === 'deny') return { kind: 'deny' };
  return says === 'edit'
    ? { kind: 'edit', args: { to: hold.args.to, euros } }
    : { kind: 'approve' };
}

function rememberOf(hold: KnownHold, vote: VoteCommand): Remember | undefined {
  const { says, match, scope, expiresAfter, uses } = vote;
  if (says !== 'remember') return undefined;
  const matched = match === 'payee' ? { args: { to: hold.args.to } } : match;
  return { match: matched, scope, expiresAfter, uses };
}
