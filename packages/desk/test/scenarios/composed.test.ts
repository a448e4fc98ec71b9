import { openDesk } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { echoModel, newBank, output, pay, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { onlyHold, decide } from '../support/people.ts';

describe.each(STORES)('sub-agents at a desk %s', (_, open) => {
  it('have holds with the path to the sub-agent, and resume with the decisions', async () => {
    await using opened = await open();
    const bank = newBank();
    const clerk = new Agent({ name: 'clerk', model: echoModel, tools: [pay] });
    const lead = new Agent({
      name: 'lead',
      model: functionModel(({ messages }) => {
        const last = messages.at(-1)?.parts.at(-1);
        if (last?.kind === 'user-prompt')
          return calls('ask_clerk', { prompt: String(last.content) });
        return says('All done.');
      }),
      tools: [clerk.asTool({ name: 'ask_clerk' })],
      output,
    });
    const agents = { lead: { agent: lead, deps: () => bank } };
    const runId = await openDesk({ store: opened.store, agents }).start('lead', 'pay a, pay b');
    const desk = openDesk({ store: opened.store, agents });
    await desk.work({ runId });

    const [a, b] = (await desk.holds({ runId })).items;
    expect(a).toMatchObject({
      toolName: 'pay',
      path: [{ toolName: 'ask_clerk' }],
      args: { to: 'a' },
    });
    expect(a!.key).toBe(`${a!.path[0]!.toolCallId}/${a!.key.split('/')[1]}`);
    await decide(desk, b!, { kind: 'deny', reason: 'Not b.' });
    await decide(desk, a!, { kind: 'approve' });
    const done = await openDesk({ store: opened.store, agents }).work({ runId });

    expect(done).toMatchObject({ state: 'finished', output: 'All done.' });
    expect(bank.paid).toMatchObject([{ to: 'a' }]);
  });
});

describe.each(STORES)('a tool that changes while its call is pending at a desk %s', (_, open) => {
  it('opens another hold, and a decision for the old tool does not count', async () => {
    await using opened = await open();
    const ran: unknown[] = [];
    const agentWith = (schema: z.ZodType<object>) =>
      new Agent({
        model: functionModel(({ messages }) =>
          messages.length > 1 ? says('Done.') : calls('send', { to: 'ada' }),
        ),
        tools: [
          tool({
            name: 'send',
            inputSchema: schema,
            requiresApproval: true,
            execute: (args) => ran.push(args),
          }),
        ],
        output: [String, DeferredToolRequests],
      });
    const older = agentWith(z.object({ to: z.string() }));
    const newer = agentWith(z.object({ to: z.string(), copy: z.boolean().optional() }));
    const before = openDesk({ store: opened.store, agents: { one: { agent: older } } });
    const runId = await before.start('one', 'Send it.');
    await before.work({ runId });
    const first = await onlyHold(before, runId);
    await decide(before, first, { kind: 'approve' });

    const after = openDesk({ store: opened.store, agents: { one: { agent: newer } } });
    expect((await after.work({ runId })).state).toBe('parked');

    const again = await onlyHold(after, runId);
    expect(again).toMatchObject({ drifted: true, toolName: 'send', park: 2 });
    expect(again.digest).not.toBe(first.digest);
    expect(ran).toEqual([]);
    await decide(after, again, { kind: 'approve' });
    expect((await after.work({ runId })).state).toBe('finished');
    expect(ran).toHaveLength(1);
  });
});

describe.each(STORES)('a long run at a desk %s', (_, open) => {
  it('parks several times, and its usage limits cover all of them', async () => {
    await using opened = await open();
    const bank = newBank();
    const model = scriptedModel(
      calls('pay', { to: 'a' }),
      calls('pay', { to: 'b' }),
      calls('pay', { to: 'c' }),
      says('Done.'),
    );
    const agent = new Agent({ model, tools: [pay], output, usageLimits: { requestLimit: 3 } });
    const desk = openDesk({ store: opened.store, agents: { one: { agent, deps: () => bank } } });
    const runId = await desk.start('one', 'Go');

    for (const _round of [1, 2, 3]) {
      await desk.work({ runId });
      await decide(desk, await onlyHold(desk, runId), { kind: 'approve' });
    }

    expect(await desk.work({ runId })).toMatchObject({
      state: 'failed',
      parks: 3,
      error: { code: 'usage-limit-exceeded' },
      usage: { requests: 3 },
    });
    expect(bank.paid).toHaveLength(3);
  });
});

describe.each(STORES)('lists at a desk %s', (_, open) => {
  it('return pages and the results of a search', async () => {
    await using opened = await open();
    const desk = openDesk({
      store: opened.store,
      agents: { teller: { agent: teller, deps: () => newBank() } },
    });
    const requester = { id: 'ada', name: 'Ada L.' };
    for (const name of ['a1', 'a2', 'b1', 'b2', 'b3']) {
      await desk.start('teller', `pay ${name}`, name === 'b2' ? { requester } : {});
      opened.clock.advance(1);
    }
    await desk.drain();

    const first = await desk.holds({ limit: 2 });
    const second = await desk.holds({ limit: 2, after: first.next });
    const third = await desk.holds({ limit: 2, after: second.next });
    const all = [...first.items, ...second.items, ...third.items];
    expect(all).toHaveLength(5);
    expect(new Set(all.map((hold) => hold.id)).size).toBe(5);
    expect(third.next).toBeUndefined();
    const found = async (text: string) => (await desk.holds({ text })).items.length;
    expect([
      await found('B'),
      await found('"to":"b2"'),
      await found('%'),
      await found('ada l'),
    ]).toEqual([3, 1, 0, 1]);
    const runs = await desk.runs({ limit: 3, states: ['parked'] });
    expect(runs.items).toHaveLength(3);
    expect((await desk.runs({ after: runs.next })).items).toHaveLength(2);
    expect((await desk.runs({ states: [] })).items).toEqual([]);
    await expect(desk.holds({ after: 'x' })).rejects.toThrow('`next` of an earlier page');
  });
});
