import { openDesk } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { decide } from '../support/people.ts';

const ADA = { id: 'ada' };
const GRACE = { id: 'grace', name: 'Grace' };

describe.each(STORES)('a parked run at a desk %s', (_, open) => {
  it('resumes with a decision in another desk on the same store', async () => {
    await using opened = await open();
    const { store } = opened;
    const bank = newBank();
    const here = openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } } });
    const runId = await here.start('teller', 'pay acme', { requester: ADA });
    expect(await here.run(runId)).toMatchObject({ state: 'ready', requester: ADA });

    expect(await here.work({ runId })).toMatchObject({ state: 'parked', openHolds: 1 });
    const { items } = await here.holds();
    expect(items).toMatchObject([
      {
        toolName: 'pay',
        kind: 'approval',
        args: { to: 'acme' },
        validatedArgs: { to: 'acme', euros: 10 },
        preview: '10 euros go to acme',
        state: 'open',
      },
    ]);
    expect(bank.paid).toEqual([]);

    const there = openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } } });
    const [hold] = items;
    await there.decide(hold!.id, { kind: 'approve' }, { by: GRACE, digest: hold!.digest });
    const done = await there.work({ runId });

    expect(done).toMatchObject({
      state: 'finished',
      output: 'Results: "10 paid to acme"',
      openHolds: 0,
    });
    expect(bank.paid).toMatchObject([{ to: 'acme', euros: 10 }]);
    expect(await there.work({ runId })).toEqual(done);
    expect(bank.paid).toHaveLength(1);
    expect(await there.hold(hold!.id)).toMatchObject({
      state: 'consumed',
      outcome: 'decided',
      decisions: [{ by: GRACE, decision: { kind: 'approve' } }],
    });
  });

  it('takes one decision of each kind, in any order', async () => {
    await using opened = await open();
    const { store } = opened;
    const bank = newBank();
    const desk = openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } } });
    const runId = await desk.start(
      'teller',
      'pay a, pay b, pay c, look_up d, look_up e, look_up f',
    );
    await desk.work({ runId });
    const { items } = await desk.holds({ runId });
    const decisions = [
      { kind: 'approve' },
      { kind: 'approve', args: { to: 'bb', euros: 7 } },
      { kind: 'deny', reason: 'Not c.' },
      { kind: 'result', value: { found: 1 } },
      { kind: 'retry', message: 'Say more.' },
      { kind: 'fail', message: 'No such thing.' },
    ] as const;
    const pairs = items.map((hold, index) => ({ hold, decision: decisions[index]! }));

    for (const { hold, decision } of pairs.toReversed()) {
      expect((await desk.work({ runId })).state).toBe('parked');
      await decide(desk, hold, decision);
    }
    const done = await desk.work({ runId });

    expect(done.state).toBe('finished');
    expect(done.output).toBe(
      'Results: "10 paid to a" | "7 paid to bb" | "Not c." | {"found":1} | "Say more." | "No such thing."',
    );
    expect(bank.paid).toMatchObject([
      { to: 'a', euros: 10 },
      { to: 'bb', euros: 7 },
    ]);
  });

  it('is finished at once if nothing has to wait', async () => {
    await using opened = await open();
    const { store } = opened;
    const bank = newBank();
    const desk = openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } } });

    const runId = await desk.start('teller', 'book x');
    const done = await desk.work({ runId });

    expect(done).toMatchObject({ state: 'finished', output: 'Results: "booked x"' });
    expect((await desk.history(done.conversationId)).map((message) => message.kind)).toEqual([
      'request',
      'response',
      'request',
      'response',
    ]);
    expect(done.usage).toMatchObject({ requests: 2, toolCalls: 1 });
  });
});
