import {
  type ApproverRule,
  type Approvers,
  type Desk,
  type Decision,
  type HoldRow,
  openDesk,
  type GrantRequest,
  type Store,
} from '@holdpoint/desk';
import { Agent, type RunContext, tool, UserError } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Bank, echoModel, newBank, output, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, onlyHold, shownFor } from '../support/people.ts';

const LEAD = { id: 'lin', roles: ['lead'] };
const CFO = { id: 'kim', name: 'Kim', roles: ['cfo', 'lead'] };
const CLERK = { id: 'bob', roles: ['clerk'] };

interface Person {
  readonly id: string;
  readonly name?: string;
  readonly roles?: readonly string[];
}

function deskOn(store: Store, approvers: Approvers | undefined, bank: Bank = newBank()): Desk {
  return openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } }, approvers });
}

async function decideAs(
  desk: Desk,
  hold: HoldRow,
  { roles, ...by }: Person,
  decision: Decision = { kind: 'approve' },
  grantRequest?: GrantRequest,
): Promise<HoldRow> {
  const shown = await shownFor(desk, hold, decision);
  return desk.decide(hold.id, decision, {
    by,
    digest: hold.digest,
    roles,
    grant: grantRequest,
    shown,
  });
}

async function parked(desk: Desk, prompt = 'pay acme', requester: Person | null = ADA) {
  const runId = await desk.start('teller', prompt, {
    requester: requester ? { id: requester.id } : undefined,
  });
  await desk.work({ runId });
  return { runId, hold: await onlyHold(desk, runId) };
}

async function auditKinds(desk: Desk, runId: string): Promise<string[]> {
  return (await desk.audit(runId)).map(({ kind }) => kind);
}

describe.each(STORES)('approvers at a desk %s', (_, open) => {
  it('a decision is accepted only with a role of the rule', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { pay: { roles: ['lead'] } });
    const { hold } = await parked(desk);

    for (const who of [CLERK, { id: 'eve' }, { id: 'eve', roles: [] }]) {
      await expect(decideAs(desk, hold, who)).rejects.toMatchObject({ code: 'may-not-decide' });
      await expect(decideAs(desk, hold, who, { kind: 'deny' })).rejects.toThrow('lead');
    }
    expect(await decideAs(desk, hold, LEAD)).toMatchObject({ state: 'decided' });
    expect((await desk.hold(hold.id)).decisions).toMatchObject([
      { by: { id: 'lin' }, roles: ['lead'] },
    ]);
  });

  it('two approvals come from two people, and another spelling of an id is the same person', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, { count: 2 }, bank);
    const { runId, hold } = await parked(desk);

    expect(await decideAs(desk, hold, { id: 'Åsa' })).toMatchObject({ state: 'open' });
    for (const id of ['Åsa', 'Åsa', 'åsa', 'ÅSA', 'Åｓa']) {
      await expect(decideAs(desk, hold, { id })).rejects.toMatchObject({ code: 'already-voted' });
    }
    const unseen = [
      '\u200b',
      '\u00ad',
      '\u202e',
      '\u034f',
      '\ufe0f',
      '\u3164',
      '\u115f',
      '\u{e0100}',
    ];
    for (const id of [' Åsa', 'Åsa ', 'Åsa\u00a0', ...unseen.map((one) => `Å${one}sa`)]) {
      await expect(decideAs(desk, hold, { id })).rejects.toThrow(UserError);
    }
    await desk.drain();
    expect((await desk.run(runId)).state).toBe('parked');
    expect(bank.paid).toEqual([]);

    expect(await decideAs(desk, hold, CFO)).toMatchObject({ state: 'decided' });
    await desk.work({ runId });
    expect(bank.paid).toHaveLength(1);
    expect(await auditKinds(desk, runId)).toEqual(
      expect.arrayContaining(['hold-voted', 'hold-decided']),
    );
  });

  it('a requester may not approve, nor a later sender of a message, nor any approver if a requester is unknown', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { notRequester: true });
    const { runId, hold } = await parked(desk);
    await expect(decideAs(desk, hold, { id: 'ADA' })).rejects.toThrow('yourself');

    await desk.message(hold.conversationId, 'pay b', {
      requester: { id: 'mel' },
      onOpenHolds: 'supersede',
    });
    await desk.work({ runId });
    const second = await onlyHold(desk, runId);
    await expect(decideAs(desk, second, ADA)).rejects.toThrow('yourself');
    await expect(decideAs(desk, second, { id: 'mel' })).rejects.toThrow('yourself');

    await desk.message(hold.conversationId, 'pay c', { onOpenHolds: 'supersede' });
    await desk.work({ runId });
    const third = await onlyHold(desk, runId);
    await expect(decideAs(desk, third, LEAD)).rejects.toThrow('requester is unknown');

    const unknown = await parked(desk, 'pay d', null);
    await expect(decideAs(desk, unknown.hold, LEAD)).rejects.toMatchObject({
      code: 'may-not-decide',
    });
  });

  it('the rule from the time of the deferral stays in force when the policy changes', async () => {
    await using opened = await open();
    const { hold } = await parked(deskOn(opened.store, { roles: ['cfo'], count: 2 }));

    const looser = deskOn(opened.store, undefined);

    await expect(decideAs(looser, hold, { id: 'eve' })).rejects.toMatchObject({
      code: 'may-not-decide',
    });
    expect(await decideAs(looser, hold, CFO)).toMatchObject({ state: 'open' });
  });

  it('one denial is enough', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, { count: 3 }, bank);
    const { runId, hold } = await parked(desk);
    await decideAs(desk, hold, LEAD);
    await decideAs(desk, hold, CFO);

    await decideAs(desk, hold, CLERK, { kind: 'deny', reason: 'No.' });

    expect((await desk.work({ runId })).output).toBe('Results: "No."');
    expect(bank.paid).toEqual([]);
  });

  it('an edit voids the votes so far', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, { count: 2 }, bank);
    const { runId, hold } = await parked(desk);
    await decideAs(desk, hold, LEAD);

    const edited = await decideAs(desk, hold, CFO, {
      kind: 'approve',
      args: { to: 'b', euros: 5 },
    });
    expect(edited).toMatchObject({ state: 'open', votes: [{ id: 'kim' }] });
    expect(edited.digest).not.toBe(hold.digest);
    // An approver who still sees the original call cannot vote for the edit.
    await expect(decideAs(desk, hold, CLERK)).rejects.toMatchObject({ code: 'stale-digest' });
    await expect(decideAs(desk, edited, CFO)).rejects.toMatchObject({ code: 'already-voted' });

    // The original arguments are a new proposal: old votes do not count for it.
    const back = await decideAs(desk, edited, CFO, { kind: 'approve', args: { to: 'acme' } });
    expect(back.digest).not.toBe(hold.digest);
    expect(back).toMatchObject({ state: 'open', votes: [{ id: 'kim' }] });
    const again = await decideAs(desk, back, LEAD, {
      kind: 'approve',
      args: { to: 'b', euros: 5 },
    });
    expect(again.digest).not.toBe(edited.digest);

    expect(await decideAs(desk, again, CFO)).toMatchObject({ state: 'decided' });
    await desk.work({ runId });
    expect(bank.paid).toMatchObject([{ to: 'b', euros: 5 }]);
  });

  it('an edit that does not fit the schema is rejected with its problems, and nothing is written', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, undefined);
    const { hold } = await parked(desk);

    const said = decideAs(desk, hold, LEAD, { kind: 'approve', args: { to: 7, euros: -1 } });

    await expect(said).rejects.toMatchObject({
      code: 'edit-does-not-fit',
      problems: expect.arrayContaining([
        expect.objectContaining({ path: '/to' }),
        expect.objectContaining({ path: '/euros' }),
      ]),
    });
    expect((await desk.hold(hold.id)).decisions).toEqual([]);
    expect((await desk.previewEdit(hold.id, { to: 'b' })).problems).toEqual([]);
  });

  it('a result needs the same count of approvers as an approval', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { count: 2 });
    const { runId, hold } = await parked(desk, 'look_up b');
    await expect(decideAs(desk, hold, LEAD)).rejects.toMatchObject({
      code: 'decision-does-not-fit',
    });

    const said = await decideAs(desk, hold, LEAD, { kind: 'result', value: 'made up' });
    expect(said).toMatchObject({ state: 'open' });
    const other = await decideAs(desk, said, CFO, { kind: 'result', value: 'true' });
    await expect(decideAs(desk, said, CLERK)).rejects.toMatchObject({ code: 'stale-digest' });

    expect(await decideAs(desk, other, LEAD)).toMatchObject({ state: 'decided' });
    expect((await desk.work({ runId })).output).toBe('Results: "true"');
  });

  it('`ctx.approval` has the approvers whose votes counted, and no others', async () => {
    await using opened = await open();
    const seen: RunContext['approval'][] = [];
    const watched = tool({
      name: 'pay',
      inputSchema: z.object({ to: z.string() }),
      requiresApproval: true,
      execute(_args, ctx) {
        seen.push(ctx.approval);
        return 'paid';
      },
    });
    const free = tool({
      name: 'book',
      inputSchema: z.object({ to: z.string() }),
      execute(_args, ctx) {
        seen.push(ctx.approval);
        return 'booked';
      },
    });
    const agent = new Agent({ name: 'teller', model: echoModel, tools: [watched, free], output });
    const desk = openDesk({
      store: opened.store,
      agents: { teller: { agent } },
      approvers: { count: 2 },
    });
    const { runId, hold } = await parked(desk, 'pay a, book b');
    await decideAs(desk, hold, CLERK);
    const edited = await decideAs(desk, hold, LEAD, { kind: 'approve', args: { to: 'z' } });
    const { digest } = await decideAs(desk, edited, CFO);

    await desk.work({ runId });

    expect(seen).toEqual([
      undefined,
      {
        by: [
          { id: 'lin', at: expect.any(Number) },
          { id: 'kim', name: 'Kim', at: expect.any(Number) },
        ],
        digest,
      },
    ]);
  });

  it('an invalid rule leaves the run stuck, and opens no hold', async () => {
    await using opened = await open();
    const broken: readonly Approvers[] = [
      () => ({ count: 0 }),
      () => ({ roles: [] }),
      () => ({ notrequester: true }) as ApproverRule,
      () => null as unknown as ApproverRule,
      () => undefined as unknown as ApproverRule,
      () => {
        throw new Error('no policy today');
      },
    ];
    for (const approvers of broken) {
      const desk = deskOn(opened.store, approvers);
      const runId = await desk.start('teller', 'pay acme');
      const run = await desk.work({ runId });
      expect(run).toMatchObject({ state: 'stuck', error: { code: 'user-error' } });
      expect((await desk.holds({ runId })).items).toEqual([]);

      const mended = deskOn(opened.store, { roles: ['lead'] });
      await mended.retry(runId, { by: ADA });
      await mended.work({ runId });
      expect(await onlyHold(mended, runId)).toMatchObject({ approvers: { roles: ['lead'] } });
      await mended.cancel(runId, { by: ADA });
    }
  });

  it('an invalid rule is rejected when the desk opens', async () => {
    await using opened = await open();
    for (const approvers of [
      { count: 1.5 },
      { pay: { roles: [] } },
      { pay: { count: 2 }, other: { role: 'x' } },
      { decisionValidFor: -1 },
    ] as unknown as readonly Approvers[]) {
      expect(() => deskOn(opened.store, approvers)).toThrow(UserError);
    }
  });
});

describe.each(STORES)('a decision that is valid for a limited time %s', (_, open) => {
  const rule: Approvers = { count: 2, decisionValidFor: 1_000 };

  it('is applied before it expires', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, rule, bank);
    const { runId, hold } = await parked(desk);
    await decideAs(desk, hold, LEAD);
    await decideAs(desk, hold, CFO);
    opened.clock.advance(1_000);

    expect((await desk.work({ runId })).state).toBe('finished');
    expect(bank.paid).toHaveLength(1);
  });

  it('expires: its hold opens again, and no call of that parking executes', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(
      opened.store,
      ({ args }) => {
        const { to } = args as { to: string };
        return to === 'a' ? (rule as ApproverRule) : {};
      },
      bank,
    );
    const runId = await desk.start('teller', 'pay a, pay b', { requester: ADA });
    await desk.work({ runId });
    const [a, b] = (await desk.holds({ runId })).items;
    const edited = await decideAs(desk, a!, LEAD, { kind: 'approve', args: { to: 'c' } });
    await decideAs(desk, edited, CFO);
    await decideAs(desk, b!, CLERK);
    opened.clock.advance(1_001);

    expect((await desk.work({ runId })).state).toBe('parked');
    expect(bank.paid).toEqual([]);
    const again = await onlyHold(desk, runId);
    expect(again).toMatchObject({
      id: a!.id,
      votes: [],
      proposal: { decision: { kind: 'approve' } },
    });
    expect(again.digest).not.toBe(edited.digest);
    expect(await auditKinds(desk, runId)).toContain('hold-reopened');
    for (const stale of [a!, edited]) {
      await expect(decideAs(desk, stale, LEAD)).rejects.toMatchObject({ code: 'stale-digest' });
    }

    await decideAs(desk, again, LEAD);
    await decideAs(desk, again, CFO);
    expect((await desk.work({ runId })).state).toBe('finished');
    expect(bank.paid.map(({ to }) => to).toSorted()).toEqual(['b', 'c']);
  });

  it('expires for a call that comes after a slow one, which has executed', async () => {
    await using opened = await open();
    const bank = newBank(() => opened.clock.advance(600));
    const slowly = tool({
      name: 'pay',
      inputSchema: z.object({ to: z.string() }),
      requiresApproval: true,
      sequential: true,
      async execute({ to }, ctx: RunContext<Bank>) {
        await ctx.deps.onPay?.();
        ctx.deps.paid.push({ to, euros: 0, key: String(ctx.idempotencyKey) });
        return 'paid';
      },
    });
    const slow = new Agent({ name: 'teller', model: echoModel, tools: [slowly], output });
    const desk = openDesk({
      store: opened.store,
      agents: { teller: { agent: slow, deps: () => bank } },
      approvers: { decisionValidFor: 1_000 },
      lease: 3_600_000,
    });
    const runId = await desk.start('teller', 'pay a, pay b, pay c', { requester: ADA });
    await desk.work({ runId });
    for (const hold of (await desk.holds({ runId })).items) await decideAs(desk, hold, LEAD);

    await desk.work({ runId });

    const open1 = (await desk.holds({ runId })).items;
    expect(bank.paid.map(({ to }) => to)).toEqual(['a', 'b']);
    expect(open1.map(({ args }) => args)).toEqual([{ to: 'c' }]);
    await decideAs(desk, open1[0]!, LEAD);
    expect((await desk.work({ runId })).state).toBe('finished');
    expect(bank.paid.map(({ to }) => to)).toEqual(['a', 'b', 'c']);
  });

  it('gives its hold the full `expiresAfter` again when the hold reopens', async () => {
    await using opened = await open();
    const desk = openDesk({
      store: opened.store,
      agents: { teller: { agent: teller, deps: () => newBank() } },
      approvers: { decisionValidFor: 1_000 },
      expiresAfter: 5_000,
    });
    const { runId, hold } = await parked(desk);
    await decideAs(desk, hold, LEAD);
    opened.clock.advance(10_000);
    await desk.work({ runId });
    expect((await onlyHold(desk, runId)).state).toBe('open');
    opened.clock.advance(5_001);

    expect((await desk.work({ runId })).output).toContain(
      'This tool call received no decision or result in time',
    );
  });
});
