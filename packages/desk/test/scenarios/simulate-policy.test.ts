import {
  type Approvers,
  type ApproverRule,
  type Desk,
  type HoldRow,
  openDesk,
  type Person,
  type SimulatedHold,
  type Store,
} from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, onlyHold } from '../support/people.ts';

const MINUTE = 60_000;
const LEAD = { by: { id: 'lin' }, roles: ['lead'] };
const OTHER_LEAD = { by: { id: 'leo' }, roles: ['lead'] };
const MANAGER = { by: { id: 'max' }, roles: ['manager'] };

type Approver = { readonly by: Person; readonly roles?: readonly string[] };

function deskOn(store: Store, approvers?: Approvers) {
  const agents = { teller: { agent: teller, deps: () => newBank() } };
  return openDesk({ store, agents, ...(approvers && { approvers }) });
}

async function parked(desk: Desk, prompt = 'pay acme'): Promise<HoldRow> {
  const runId = await desk.start('teller', prompt, { requester: ADA });
  await desk.work({ runId });
  return onlyHold(desk, runId);
}

function approve(desk: Desk, { id, digest }: HoldRow, who: Approver = LEAD) {
  return desk.decide(id, { kind: 'approve' }, { ...who, digest });
}

/** Requests a call, and approves it. */
async function approved(desk: Desk, prompt = 'pay acme', who: Approver = LEAD): Promise<HoldRow> {
  const hold = await parked(desk, prompt);
  await approve(desk, hold, who);
  return hold;
}

async function simulated(desk: Desk, approvers: Approvers): Promise<readonly SimulatedHold[]> {
  return (await desk.simulatePolicy({ approvers })).items;
}

/** The result for the only settled hold. */
async function result(desk: Desk, approvers: Approvers): Promise<object> {
  const [one, ...others] = await simulated(desk, approvers);
  expect(others).toEqual([]);
  if (one === undefined || one.status === 'failed')
    throw new Error(`Not evaluated: ${one?.problem}`);
  const { status, isChanged, counted } = one;
  return { status, isChanged, counted: counted.map(({ id }) => id) };
}

describe.each(STORES)('simulation of a policy %s', (_, open) => {
  it('shows what a past hold required, what the policy demands, and if the votes meet it', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { roles: ['lead'] });
    const hold = await approved(desk);
    await desk.drain();

    const [one] = await simulated(desk, { pay: { roles: ['lead'], count: 2, notRequester: true } });

    expect(one).toEqual({
      holdId: hold.id,
      runId: hold.runId,
      agent: 'teller',
      toolName: 'pay',
      kind: 'approval',
      requester: ADA,
      createdAt: hold.createdAt,
      outcome: 'decided',
      decision: 'approve',
      required: [{ roles: ['lead'], count: 1, notRequester: false, grants: 'never' }],
      votes: [{ id: 'lin', roles: ['lead'], at: hold.createdAt }],
      status: 'not-met',
      isChanged: true,
      demanded: [{ roles: ['lead'], count: 2, notRequester: true, grants: 'never' }],
      counted: [{ id: 'lin', roles: ['lead'], at: hold.createdAt }],
    });
    const same = { roles: ['lead'] };
    expect(await result(desk, same)).toEqual({ status: 'met', isChanged: false, counted: ['lin'] });
  });

  it.each<[string, ApproverRule, object]>([
    ['another role', { roles: ['manager'] }, { status: 'not-met', counted: [] }],
    ['a named approver', { people: ['lin'] }, { status: 'met', counted: ['lin'] }],
    ['fewer approvers', {}, { status: 'met', counted: ['lin', 'leo'] }],
    ['more approvers', { count: 3 }, { status: 'not-met', counted: ['lin', 'leo'] }],
  ])('counts two recorded votes under a policy with %s', async (_name, rule, expected) => {
    await using opened = await open();
    const desk = deskOn(opened.store, { roles: ['lead'], count: 2 });
    const hold = await approved(desk);
    await approve(desk, hold, OTHER_LEAD);

    expect(await result(desk, rule)).toEqual({ ...expected, isChanged: true });
  });

  it('does not count the requester under separation of duties', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    await approved(desk, 'pay acme', { by: ADA });

    const expected = { status: 'not-met', isChanged: true, counted: [] };
    expect(await result(desk, { notRequester: true })).toEqual(expected);
  });

  it('keeps the separation of duties that the desk demands for every call', async () => {
    await using opened = await open();
    await approved(deskOn(opened.store), 'pay acme', { by: ADA });
    const agents = { teller: { agent: teller, deps: () => newBank() } };
    const strict = openDesk({ store: opened.store, agents, notRequester: true });

    expect(await result(strict, {})).toMatchObject({ status: 'not-met', counted: [] });
  });

  it('accepts a recorded denial if its approver could deny the hold', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const { id, digest } = await parked(desk);
    await desk.decide(id, { kind: 'deny' }, { ...LEAD, digest });

    const denied = { status: 'denied', isChanged: true, counted: [] };
    expect(await result(desk, { roles: ['lead'], count: 2 })).toEqual(denied);
    expect(await result(desk, { roles: ['manager'] })).toEqual({ ...denied, status: 'not-met' });
  });

  it('counts an approver of an escalation from their step on', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const hold = await parked(desk);
    opened.clock.advance(30 * MINUTE);
    await approve(desk, hold, MANAGER);
    const after = (minutes: number): ApproverRule => ({
      roles: ['lead'],
      escalate: [{ afterMs: minutes * MINUTE, also: { roles: ['manager'] } }],
    });

    expect(await result(desk, after(30))).toMatchObject({ status: 'met', counted: ['max'] });
    expect(await result(desk, after(31))).toMatchObject({ status: 'not-met', counted: [] });
  });

  it('counts no vote from before the step that would permit it, also if a later vote comes after it', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { count: 2 });
    const hold = await approved(desk, 'pay acme', MANAGER);
    opened.clock.advance(30 * MINUTE);
    await approve(desk, hold, LEAD);
    const escalate = [{ afterMs: 30 * MINUTE, also: { roles: ['manager'] } }];

    const simulation = await result(desk, { roles: ['lead'], count: 2, escalate });
    expect(simulation).toMatchObject({ status: 'not-met', counted: ['lin'] });
  });

  it('demands the requirements of the call and of the edit that approvers voted on', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const { id, digest } = await parked(desk);
    const args = { to: 'acme', euros: 5_000 };
    const { shown } = await desk.previewEdit(id, args);
    await desk.decide(id, { kind: 'approve', args }, { ...LEAD, digest, shown });
    const seen: unknown[] = [];

    const [one] = await simulated(desk, ({ args: given, preview }) => {
      seen.push([given, preview]);
      return JSON.stringify(given).includes('5000') ? { roles: ['manager'] } : { roles: ['lead'] };
    });

    const rest = { count: 1, notRequester: false, grants: 'never' };
    expect(one).toMatchObject({
      status: 'not-met',
      demanded: [
        { roles: ['lead'], ...rest },
        { roles: ['manager'], ...rest },
      ],
    });
    expect(seen).toContainEqual([{ to: 'acme', euros: 10 }, '10 euros go to acme']);
    expect(seen).toContainEqual([args, '5000 euros go to acme']);
  });

  it('requires that the policy allows the grant which decided a hold', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { roles: ['lead'], grants: 'tenant' });
    const hold = await parked(desk);
    const grant = { match: 'tool', scope: 'agent' } as const;
    await desk.decide(hold.id, { kind: 'approve' }, { ...LEAD, digest: hold.digest, grant });
    await desk.drain();
    opened.clock.advance(1);
    await desk.start('teller', 'pay bolt', { requester: ADA });
    await desk.drain();
    const statuses = async (rule: ApproverRule) =>
      (await simulated(desk, rule)).map(({ decidedBy, status }) => [decidedBy?.kind, status]);

    expect(await statuses({ roles: ['lead'], grants: 'agent' })).toEqual([
      [undefined, 'met'],
      ['grant', 'met'],
    ]);
    expect(await statuses({ roles: ['lead'], grants: 'requester' })).toEqual([
      [undefined, 'met'],
      ['grant', 'not-met'],
    ]);
  });

  it('reports a policy that fails for a hold, and evaluates the other holds', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    for (const prompt of ['pay acme', 'pay bolt', 'pay cora', 'pay dora']) {
      await approved(desk, prompt);
      opened.clock.advance(1);
    }

    const results = await simulated(desk, ({ args }) => {
      const { to } = args as { to: string };
      if (to === 'bolt') throw new Error('No limit for bolt');
      // Programs without types may return anything.
      if (to === 'cora') return { role: 'lead' } as unknown as ApproverRule;
      return to === 'dora' ? (undefined as unknown as ApproverRule) : {};
    });

    expect(results.map(({ status }) => status)).toEqual(['met', 'failed', 'failed', 'failed']);
    const problems = results.map((one) => (one.status === 'failed' ? one.problem : ''));
    expect(problems[1]).toMatch(/`approvers` threw: No limit for bolt\./);
    expect(problems[2]).toMatch(/Unknown option `role`/);
    expect(problems[3]).toMatch(/returned no rule for tool `pay`/);
  });

  it('covers settled holds of one tenant in bounded pages and between two times, and writes nothing', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    await approved(desk.forTenant('other'));
    const holds: HoldRow[] = [];
    for (const prompt of ['pay acme', 'pay bolt', 'pay cora']) {
      holds.push(await approved(desk, prompt));
      opened.clock.advance(MINUTE);
    }
    const pending = await parked(desk, 'pay dora');
    const idsOf = (items: readonly SimulatedHold[]) => items.map(({ holdId }) => holdId);
    const [first, second, third] = holds.map(({ id }) => id);
    const written = async () => [await desk.audit(pending.runId), (await desk.events()).items];
    const before = await written();

    const page = await desk.simulatePolicy({ approvers: { count: 2 }, limit: 2 });
    expect(idsOf(page.items)).toEqual([first, second]);
    const rest = await desk.simulatePolicy({ approvers: { count: 2 }, after: page.next, limit: 2 });
    expect(idsOf(rest.items)).toEqual([third]);
    expect(rest.next).toBeUndefined();

    const since = holds[1]!.createdAt;
    const until = new Date(holds[2]!.createdAt);
    const between = await desk.simulatePolicy({ approvers: {}, since, until });
    expect(idsOf(between.items)).toEqual([second]);
    expect(await written()).toEqual(before);
    expect(await desk.hold(pending.id)).toMatchObject({ state: 'open', digest: pending.digest });
  });
});

describe('simulation of a policy', () => {
  it('leaves the rules of tools of other programs as they are', async () => {
    const [, open] = STORES[0]!;
    await using opened = await open();
    const desk = openDesk({
      store: opened.store,
      agents: { teller: { agent: teller, deps: () => newBank() } },
      requests: {
        tools: { transfer: { approvers: { roles: ['lead'] }, schema: { type: 'object' } } },
      },
    });
    const request = await desk.request('transfer', { euros: 1 }, { by: ADA });
    const [hold] = (await desk.holds({ runId: request.id })).items;
    await approve(desk, hold!);

    const unchanged = { status: 'met', isChanged: false };
    expect(await result(desk, { count: 5 })).toMatchObject(unchanged);
    // A process that does not declare the tool uses the requirement that is stored with the hold.
    expect(await result(deskOn(opened.store), { count: 5 })).toMatchObject(unchanged);
  });

  it('rejects a missing or invalid policy, unknown options and invalid times', async () => {
    const [, open] = STORES[0]!;
    await using opened = await open();
    const desk = deskOn(opened.store);
    // Programs without types may pass anything.
    const attempt = (options: object) => () => desk.simulatePolicy(options as never);

    await expect(attempt({})()).rejects.toThrow(/Pass `approvers`/);
    await expect(attempt({ approvers: { count: 0 } })()).rejects.toThrow(/not a valid rule/);
    await expect(attempt({ approvers: {}, from: 1 })()).rejects.toThrow(/Unknown option `from`/);
    await expect(attempt({ approvers: {}, since: 'now' })()).rejects.toThrow(/`since` is/);
    await expect(attempt({ approvers: {}, until: new Date('x') })()).rejects.toThrow(/`until` is/);
  });
});
