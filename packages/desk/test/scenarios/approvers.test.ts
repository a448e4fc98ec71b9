import {
  type ApproverRule,
  type Approvers,
  type Desk,
  type HoldAnswer,
  type HoldRow,
  openDesk,
  type Remember,
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

interface Somebody {
  readonly id: string;
  readonly name?: string;
  readonly roles?: readonly string[];
}

function deskOn(store: Store, approvers: Approvers | undefined, bank: Bank = newBank()): Desk {
  return openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } }, approvers });
}

async function says(
  desk: Desk,
  hold: HoldRow,
  { roles, ...by }: Somebody,
  answer: HoldAnswer = { kind: 'approve' },
  remember?: Remember,
): Promise<HoldRow> {
  const shown = await shownFor(desk, hold, answer);
  return desk.answer(hold.id, answer, { by, digest: hold.digest, roles, remember, shown });
}

async function parked(desk: Desk, prompt = 'pay acme', requester: Somebody | null = ADA) {
  const runId = await desk.start('teller', prompt, {
    requester: requester ? { id: requester.id } : undefined,
  });
  await desk.work({ runId });
  return { runId, hold: await onlyHold(desk, runId) };
}

async function auditKinds(desk: Desk, runId: string): Promise<string[]> {
  return (await desk.audit(runId)).map(({ kind }) => kind);
}

describe.each(STORES)('who may answer at a desk %s', (_, open) => {
  it('is whoever has the role, and nobody who does not say so', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { pay: { roles: ['lead'] } });
    const { hold } = await parked(desk);

    for (const who of [CLERK, { id: 'eve' }, { id: 'eve', roles: [] }]) {
      await expect(says(desk, hold, who)).rejects.toMatchObject({ code: 'may-not-answer' });
      await expect(says(desk, hold, who, { kind: 'deny' })).rejects.toThrow('lead');
    }
    expect(await says(desk, hold, LEAD)).toMatchObject({ state: 'decided' });
    expect((await desk.hold(hold.id)).answers).toMatchObject([
      { by: { id: 'lin' }, roles: ['lead'] },
    ]);
  });

  it('are two people, and not one of them twice, in whatever spelling', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, { count: 2 }, bank);
    const { runId, hold } = await parked(desk);

    expect(await says(desk, hold, { id: 'Åsa' })).toMatchObject({ state: 'open' });
    for (const id of ['Åsa', 'Åsa', 'åsa', 'ÅSA', 'Åｓa']) {
      await expect(says(desk, hold, { id })).rejects.toMatchObject({ code: 'already-voted' });
    }
    for (const id of [' Åsa', 'Åsa ', 'Å\u200bsa', 'Å\u00adsa', '\u202eÅsa', 'Åsa\u00a0']) {
      await expect(says(desk, hold, { id })).rejects.toThrow(UserError);
    }
    await desk.workOff();
    expect((await desk.run(runId)).state).toBe('parked');
    expect(bank.paid).toEqual([]);

    expect(await says(desk, hold, CFO)).toMatchObject({ state: 'decided' });
    await desk.work({ runId });
    expect(bank.paid).toHaveLength(1);
    expect(await auditKinds(desk, runId)).toEqual(
      expect.arrayContaining(['hold-voted', 'hold-answered']),
    );
  });

  it('is not the requester, nor somebody who has sent a message since, nor anybody if one is not known', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { notRequester: true });
    const { runId, hold } = await parked(desk);
    await expect(says(desk, hold, { id: 'ADA' })).rejects.toThrow('yourself');

    await desk.message(hold.conversationId, 'pay b', {
      requester: { id: 'mel' },
      onOpenHolds: 'supersede',
    });
    await desk.work({ runId });
    const second = await onlyHold(desk, runId);
    await expect(says(desk, second, ADA)).rejects.toThrow('yourself');
    await expect(says(desk, second, { id: 'mel' })).rejects.toThrow('yourself');

    await desk.message(hold.conversationId, 'pay c', { onOpenHolds: 'supersede' });
    await desk.work({ runId });
    const third = await onlyHold(desk, runId);
    await expect(says(desk, third, LEAD)).rejects.toThrow('requester is unknown');

    const unknown = await parked(desk, 'pay d', null);
    await expect(says(desk, unknown.hold, LEAD)).rejects.toMatchObject({ code: 'may-not-answer' });
  });

  it('is what was said when the call came to wait, whatever the policy says later', async () => {
    await using opened = await open();
    const { hold } = await parked(deskOn(opened.store, { roles: ['cfo'], count: 2 }));

    const looser = deskOn(opened.store, undefined);

    await expect(says(looser, hold, { id: 'eve' })).rejects.toMatchObject({
      code: 'may-not-answer',
    });
    expect(await says(looser, hold, CFO)).toMatchObject({ state: 'open' });
  });

  it('has one denial be enough', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, { count: 3 }, bank);
    const { runId, hold } = await parked(desk);
    await says(desk, hold, LEAD);
    await says(desk, hold, CFO);

    await says(desk, hold, CLERK, { kind: 'deny', message: 'No.' });

    expect((await desk.work({ runId })).output).toBe('I was told: "No."');
    expect(bank.paid).toEqual([]);
  });

  it('is asked again after an edit, which voids the votes so far', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, { count: 2 }, bank);
    const { runId, hold } = await parked(desk);
    await says(desk, hold, LEAD);

    const edited = await says(desk, hold, CFO, { kind: 'edit', args: { to: 'b', euros: 5 } });
    expect(edited).toMatchObject({ state: 'open', votes: [{ id: 'kim' }] });
    expect(edited.digest).not.toBe(hold.digest);
    // Who still sees the call as it was cannot vote for the edit.
    await expect(says(desk, hold, CLERK)).rejects.toMatchObject({ code: 'stale-digest' });
    await expect(says(desk, edited, CFO)).rejects.toMatchObject({ code: 'already-voted' });

    // Going back is another proposal: nobody's old vote comes back to life.
    const back = await says(desk, edited, CFO, { kind: 'edit', args: { to: 'acme' } });
    expect(back.digest).not.toBe(hold.digest);
    expect(back).toMatchObject({ state: 'open', votes: [{ id: 'kim' }] });
    const again = await says(desk, back, LEAD, { kind: 'edit', args: { to: 'b', euros: 5 } });
    expect(again.digest).not.toBe(edited.digest);

    expect(await says(desk, again, CFO)).toMatchObject({ state: 'decided' });
    await desk.work({ runId });
    expect(bank.paid).toMatchObject([{ to: 'b', euros: 5 }]);
  });

  it('is told what does not fit the schema, and nothing is written', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, undefined);
    const { hold } = await parked(desk);

    const said = says(desk, hold, LEAD, { kind: 'edit', args: { to: 7, euros: -1 } });

    await expect(said).rejects.toMatchObject({
      code: 'edit-does-not-fit',
      problems: expect.arrayContaining([
        expect.objectContaining({ path: '/to' }),
        expect.objectContaining({ path: '/euros' }),
      ]),
    });
    expect((await desk.hold(hold.id)).answers).toEqual([]);
    expect((await desk.checkEdit(hold.id, { to: 'b' })).problems).toEqual([]);
  });

  it('must agree on a result, too', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { count: 2 });
    const { runId, hold } = await parked(desk, 'look_up b');
    await expect(says(desk, hold, LEAD)).rejects.toMatchObject({ code: 'answer-does-not-fit' });

    const said = await says(desk, hold, LEAD, { kind: 'result', value: 'made up' });
    expect(said).toMatchObject({ state: 'open' });
    const other = await says(desk, said, CFO, { kind: 'result', value: 'true' });
    await expect(says(desk, said, CLERK)).rejects.toMatchObject({ code: 'stale-digest' });

    expect(await says(desk, other, LEAD)).toMatchObject({ state: 'decided' });
    expect((await desk.work({ runId })).output).toBe('I was told: "true"');
  });

  it('is in ctx.approval, with those who counted and nobody else', async () => {
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
    await says(desk, hold, CLERK);
    const edited = await says(desk, hold, LEAD, { kind: 'edit', args: { to: 'z' } });
    const { digest } = await says(desk, edited, CFO);

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

  it('leaves the run stuck, and holds nothing loosely, if the rule is broken', async () => {
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

  it('is checked when the desk is opened', async () => {
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

  it('is carried out in time', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, rule, bank);
    const { runId, hold } = await parked(desk);
    await says(desk, hold, LEAD);
    await says(desk, hold, CFO);
    opened.clock.advance(1_000);

    expect((await desk.work({ runId })).state).toBe('finished');
    expect(bank.paid).toHaveLength(1);
  });

  it('lapses: people are asked again, and nothing of that parking runs', async () => {
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
    const edited = await says(desk, a!, LEAD, { kind: 'edit', args: { to: 'c' } });
    await says(desk, edited, CFO);
    await says(desk, b!, CLERK);
    opened.clock.advance(1_001);

    expect((await desk.work({ runId })).state).toBe('parked');
    expect(bank.paid).toEqual([]);
    const again = await onlyHold(desk, runId);
    expect(again).toMatchObject({ id: a!.id, votes: [], proposal: { answer: { kind: 'edit' } } });
    expect(again.digest).not.toBe(edited.digest);
    expect(await auditKinds(desk, runId)).toContain('hold-reopened');
    for (const stale of [a!, edited]) {
      await expect(says(desk, stale, LEAD)).rejects.toMatchObject({ code: 'stale-digest' });
    }

    await says(desk, again, LEAD);
    await says(desk, again, CFO);
    expect((await desk.work({ runId })).state).toBe('finished');
    expect(bank.paid.map(({ to }) => to).toSorted()).toEqual(['b', 'c']);
  });

  it('lapses for a call that comes after a slow one, which has run', async () => {
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
    for (const hold of (await desk.holds({ runId })).items) await says(desk, hold, LEAD);

    await desk.work({ runId });

    const open1 = (await desk.holds({ runId })).items;
    expect(bank.paid.map(({ to }) => to)).toEqual(['a', 'b']);
    expect(open1.map(({ args }) => args)).toEqual([{ to: 'c' }]);
    await says(desk, open1[0]!, LEAD);
    expect((await desk.work({ runId })).state).toBe('finished');
    expect(bank.paid.map(({ to }) => to)).toEqual(['a', 'b', 'c']);
  });

  it('waits as long as it did at first when it is open again', async () => {
    await using opened = await open();
    const desk = openDesk({
      store: opened.store,
      agents: { teller: { agent: teller, deps: () => newBank() } },
      approvers: { decisionValidFor: 1_000 },
      expiresAfter: 5_000,
    });
    const { runId, hold } = await parked(desk);
    await says(desk, hold, LEAD);
    opened.clock.advance(10_000);
    await desk.work({ runId });
    expect((await onlyHold(desk, runId)).state).toBe('open');
    opened.clock.advance(5_001);

    expect((await desk.work({ runId })).output).toContain(
      'This tool call received no decision or result in time',
    );
  });
});
