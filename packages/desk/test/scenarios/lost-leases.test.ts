import { type Desk, openDesk, type Store } from '@holdpoint/desk';
import { Agent, ModelError, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { type Bank, book, echoModel, newBank, output, pay, teller } from '../support/bank.ts';
import { type CrashingStore, crashingStore } from '../support/crashing-store.ts';
import { type OpenedStore, STORES } from '../support/opened-store.ts';
import { GRACE, decide } from '../support/people.ts';

const LEASE = 60_000;

/** Forwards its prompt to a sub-agent. */
const lead = new Agent({
  name: 'lead',
  model: functionModel(({ messages }) => {
    const last = messages.at(-1)?.parts.at(-1);
    return last?.kind === 'user-prompt'
      ? calls('ask_clerk', { prompt: String(last.content) })
      : says('All done.');
  }),
  tools: [
    new Agent({ name: 'clerk', model: echoModel, tools: [pay, book] }).asTool({
      name: 'ask_clerk',
    }),
  ],
  output,
});

const deskOn = (store: Store, bank: Bank): Desk => {
  const deps = () => bank;
  const agents = { teller: { agent: teller, deps }, lead: { agent: lead, deps } };
  return openDesk({ store, lease: LEASE, agents });
};

/** Decides all holds: a call in doubt that executed gets a result, others are approved. */
async function decideAll(desk: Desk, bank: Bank, runId: string): Promise<number> {
  const { items } = await desk.holds({ runId });
  for (const hold of items) {
    const { to } = hold.args as { to: string };
    const isDone = bank.paid.some((one) => one.to === to);
    if (hold.inDoubt && isDone) await decide(desk, hold, { kind: 'result', value: 'It has run.' });
    else await decide(desk, hold, { kind: 'approve' });
  }
  return items.length;
}

/** Finishes the run in another process. */
async function finish(opened: OpenedStore, bank: Bank, runId: string) {
  const desk = deskOn(opened.store, bank);
  for (let rounds = 0; rounds < 10; rounds++) {
    opened.clock.advance(LEASE * 10);
    const run = await desk.work({ runId });
    if (run.state === 'finished') return run;
    await decideAll(desk, bank, runId);
  }
  throw new Error(`The run is ${(await desk.run(runId)).state}.`);
}

async function workUntilCrash(dying: CrashingStore, bank: Bank, runId: string): Promise<void> {
  const desk = deskOn(dying.store, bank);
  await desk.work({ runId }).catch(() => {});
  // The process was not killed before the run parked, so approve the holds and continue.
  if (dying.hasCrashed()) return;
  const { items } = await desk.holds({ runId });
  for (const hold of items) await decide(desk, hold, { kind: 'approve' }).catch(() => {});
  await desk.work({ runId }).catch(() => {});
}

describe.each(STORES)('a run at a desk %s', (_, open) => {
  it.each([
    ['before', 'teller'],
    ['after', 'teller'],
    ['before', 'lead'],
    ['after', 'lead'],
  ] as const)(
    'is taken over from a process that died %s any of its writes, and nothing is repeated: %s',
    async (side, agent) => {
      let nth = 1;
      for (let lived = false; !lived; nth++) {
        await using opened = await open();
        const bank = newBank();
        const runId = await deskOn(opened.store, bank).start(agent, 'book x, pay a, pay b');
        const dying = crashingStore(opened.store, nth, side);

        await workUntilCrash(dying, bank, runId);
        // The clock advances only when no claim is in progress.
        await dying.atRest();
        lived = !dying.hasCrashed();
        const run = await finish(opened, bank, runId);

        const done = bank.paid.map(({ to }) => to).toSorted();
        expect(done, `write ${nth}`).toEqual(['a', 'b', 'x']);
        expect(run.openHolds).toBe(0);
        const left = await deskOn(opened.store, bank).holds({ states: ['open', 'decided'] });
        expect(left.items, `write ${nth}`).toEqual([]);
      }
      // Such a run has many writes. With few writes, the test would prove nothing.
      expect(nth).toBeGreaterThan(10);
    },
    60_000,
  );

  it('does not repeat a read-only call whose result is stored', async () => {
    await using opened = await open();
    let reads = 0;
    let requests = 0;
    const read = tool({
      name: 'read',
      readOnly: true,
      execute: () => {
        reads += 1;
        return 'text';
      },
    });
    const model = functionModel(({ messages }) => {
      requests += 1;
      if (requests === 2) throw new ModelError('Try later.', { modelName: 'm', status: 503 });
      return messages.length === 1 ? calls('read') : says('Done.');
    });
    const agent = new Agent({ model, tools: [read], output });
    const desk = openDesk({ store: opened.store, agents: { one: { agent } } });
    const runId = await desk.start('one', 'Read it.');

    expect((await desk.work({ runId })).state).toBe('ready');
    opened.clock.advance(LEASE);
    const done = await desk.work({ runId });

    expect(done).toMatchObject({ state: 'finished', output: 'Done.' });
    expect([reads, requests]).toEqual([1, 3]);
    const history = await desk.history(done.conversationId);
    expect(history.map((message) => message.kind)).toEqual([
      'request',
      'response',
      'request',
      'response',
    ]);
  });

  it('opens a hold for a call that was executing when its process was killed', async () => {
    await using opened = await open();
    const bank = newBank();
    const runId = await deskOn(opened.store, bank).start('teller', 'book x');
    let die = () => {};
    const dead = new Promise<void>((resolve) => {
      die = resolve;
    });
    // The call never returns.
    const hanging = newBank(() => {
      die();
      return new Promise(() => {});
    });
    void deskOn(opened.store, hanging).work({ runId });
    await dead;
    expect((await deskOn(opened.store, bank).work({ runId })).state).toBe('running');

    opened.clock.advance(LEASE * 2);
    const desk = deskOn(opened.store, bank);
    expect((await desk.work({ runId })).state).toBe('parked');

    const [hold] = (await desk.holds({ runId })).items;
    expect(hold).toMatchObject({ toolName: 'book', inDoubt: { attempt: expect.any(String) } });
    expect(bank.paid).toEqual([]);
    await desk.decide(hold!.id, { kind: 'approve' }, { by: GRACE, digest: hold!.digest });
    expect((await desk.work({ runId })).output).toBe('Results: "booked x"');
    expect(bank.paid).toHaveLength(1);
  });

  it('starts no call with a worker that was stopped for longer than its lease', async () => {
    await using opened = await open();
    const runId = await deskOn(opened.store, newBank()).start('teller', 'pay a');
    const deciding = deskOn(opened.store, newBank());
    await deciding.work({ runId });
    await decideAll(deciding, newBank(), runId);
    let wake = () => {};
    const slept = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let isAsleep = () => {};
    const asleep = new Promise<void>((resolve) => {
      isAsleep = resolve;
    });
    const slow = newBank();
    const sleeper = openDesk({
      store: opened.store,
      lease: LEASE,
      agents: {
        teller: {
          agent: teller,
          async deps() {
            isAsleep();
            await slept;
            return slow;
          },
        },
      },
    });
    const working = sleeper.work({ runId });
    await asleep;

    opened.clock.advance(LEASE * 2);
    const bank = newBank();
    await deskOn(opened.store, bank).work({ runId });
    wake();
    await working;

    expect(bank.paid).toHaveLength(1);
    expect(slow.paid).toEqual([]);
    expect((await sleeper.run(runId)).state).toBe('finished');
  });
});
