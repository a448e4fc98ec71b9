import { type Desk, sqliteStore, openDesk, type DeskEvent, type Store } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, FunctionToolset, ModelError, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Bank, echoModel, newBank, output, pay, teller } from '../support/bank.ts';
import { Gate } from '../support/gate.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, GRACE, onlyHold, decide } from '../support/people.ts';

const deskOn = (store: Store, bank: Bank = newBank()): Desk =>
  openDesk({
    store,
    expiresAfter: 1_000,
    agents: { teller: { agent: teller, deps: () => bank } },
  });

describe.each(STORES)('a hold that expires at a desk %s', (_, open) => {
  it('is not a denial, and the model receives that no decision came in time', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, bank);
    const runId = await desk.start('teller', 'pay a, look_up b');
    await desk.work({ runId });
    const [a, b] = (await desk.holds({ runId })).items;

    opened.clock.advance(999);
    expect((await desk.work({ runId })).state).toBe('parked');
    opened.clock.advance(1);
    await expect(decide(desk, a!, { kind: 'approve' })).rejects.toMatchObject({
      code: 'hold-settled',
    });
    const done = await desk.work({ runId });

    expect(done.state).toBe('finished');
    expect(done.output).toContain('This tool call received no decision or result in time.');
    expect(done.output).toContain('it was not denied');
    const history = JSON.stringify(await desk.history(done.conversationId));
    expect(history.match(/"outcome":"\w+"/g)).toEqual([
      '"outcome":"expired"',
      '"outcome":"expired"',
    ]);
    expect(bank.paid).toEqual([]);
    for (const hold of [a!, b!]) {
      expect((await desk.hold(hold.id)).outcome).toBe('expired');
      expect((await desk.hold(hold.id)).decisions).toEqual([]);
    }
  });

  it('does not keep the approved call of another hold from executing', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, bank);
    const runId = await desk.start('teller', 'pay a, pay b');
    await desk.work({ runId });
    const [a] = (await desk.holds({ runId })).items;
    await decide(desk, a!, { kind: 'approve' });
    opened.clock.advance(1_000);

    await desk.drain();

    expect(bank.paid).toMatchObject([{ to: 'a' }]);
    expect((await desk.run(runId)).state).toBe('finished');
  });
});

describe.each(STORES)('`cancel` at a desk %s', (_, open) => {
  it('ends a parked run and its holds', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, bank);
    const runId = await desk.start('teller', 'pay a, pay b');
    const { conversationId } = await desk.work({ runId });
    const [a, b] = (await desk.holds({ runId })).items;
    await decide(desk, a!, { kind: 'approve' });

    expect(await desk.cancel(runId, { by: ADA })).toMatchObject({ state: 'cancelled' });

    expect((await desk.cancel(runId, { by: ADA })).state).toBe('cancelled');
    for (const { id } of [a!, b!]) expect((await desk.hold(id)).state).toBe('cancelled');
    await expect(decide(desk, b!, { kind: 'approve' })).rejects.toMatchObject({
      code: 'hold-settled',
    });
    opened.clock.advance(10_000);
    expect(await desk.drain()).toBe(0);
    expect(bank.paid).toEqual([]);
    // The conversation continues, and the model receives that the calls were cancelled.
    const next = await desk.message(conversationId, 'Hello');
    expect((await desk.work({ runId: next })).output).toBe('You said: Hello');
  });

  it('starts no call of a run that a worker has just claimed', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, bank);
    const runId = await desk.start('teller', 'pay a');
    await desk.work({ runId });
    await decide(desk, await onlyHold(desk, runId), { kind: 'approve' });
    const taken = new Gate();
    const cancelled = new Gate();
    const slow = openDesk({
      store: opened.store,
      agents: {
        teller: {
          agent: teller,
          async deps() {
            taken.open();
            await cancelled.opened;
            return bank;
          },
        },
      },
    });
    const working = slow.work({ runId });
    await taken.opened;

    await desk.cancel(runId, { by: GRACE });
    cancelled.open();

    expect((await working).state).toBe('cancelled');
    expect(bank.paid).toEqual([]);
  });

  it('aborts the model request that a worker waits for', async () => {
    const requested = new Gate();
    let isAborted = false;
    const model = functionModel(
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            isAborted = true;
            reject(signal.reason);
          });
          requested.open();
        }),
    );
    const agent = new Agent({ model, output });
    // Heartbeats use the real clock.
    const desk = openDesk({ store: await sqliteStore(), lease: 90, agents: { one: { agent } } });
    const runId = await desk.start('one', 'Go');
    const working = desk.work({ runId });
    await requested.opened;

    await desk.cancel(runId, { by: ADA });

    expect((await working).state).toBe('cancelled');
    expect(isAborted).toBe(true);
  });

  it('rejects a run that has ended', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const runId = await desk.start('teller', 'Hello');
    await desk.work({ runId });

    await expect(desk.cancel(runId, { by: ADA })).rejects.toMatchObject({ code: 'run-ended' });
    expect((await desk.run(runId)).state).toBe('finished');
  });
});

describe.each(STORES)('an error at a desk %s', (_, open) => {
  /** A model that fails `times` times. */
  const failing = (times: number, error: () => Error) => {
    let failed = 0;
    const model = functionModel(() => {
      failed += 1;
      if (failed <= times) throw error();
      return says('Done.');
    });
    return { model, requests: () => failed };
  };
  const unreachable = () =>
    new ModelError('It cannot be reached.', { modelName: 'm', status: 503 });

  it('is retried with a growing pause', async () => {
    await using opened = await open();
    const { model, requests } = failing(2, unreachable);
    const agent = new Agent({ model, output: [String, DeferredToolRequests] });
    const desk = openDesk({ store: opened.store, agents: { one: { agent } } });
    const runId = await desk.start('one', 'Go');

    expect(await desk.work({ runId })).toMatchObject({
      state: 'ready',
      error: { code: 'model-error' },
    });
    expect((await desk.work({ runId })).state).toBe('ready');
    expect(requests()).toBe(1);
    opened.clock.advance(1_000);
    await desk.work({ runId });
    opened.clock.advance(900);
    await desk.work({ runId });
    expect(requests()).toBe(2);
    opened.clock.advance(1_100);

    expect(await desk.work({ runId })).toMatchObject({ state: 'finished', output: 'Done.' });
    expect((await desk.run(runId)).error).toBeUndefined();
  });

  it('leaves a run stuck after `maxAttempts`, until an operator retries it', async () => {
    await using opened = await open();
    const { model, requests } = failing(3, unreachable);
    const agent = new Agent({ model, output: [String, DeferredToolRequests] });
    const desk = openDesk({ store: opened.store, maxAttempts: 3, agents: { one: { agent } } });
    const runId = await desk.start('one', 'Go');

    for (let attempts = 0; attempts < 6; attempts++) {
      await desk.work({ runId });
      opened.clock.advance(1_000_000);
    }

    expect(requests()).toBe(3);
    expect(await desk.run(runId)).toMatchObject({ state: 'stuck', error: { code: 'model-error' } });
    await desk.retry(runId, { by: ADA });
    expect(await desk.work({ runId })).toMatchObject({ state: 'finished' });
  });

  it('resets the count of attempts after one of them makes progress', async () => {
    await using opened = await open();
    let requests = 0;
    const model = functionModel(({ messages }) => {
      requests += 1;
      // Each request fails once.
      if (requests % 2 === 1) throw unreachable();
      return messages.length < 6 ? calls('look') : says('Done.');
    });
    const look = tool({ name: 'look', execute: () => 'something' });
    const agent = new Agent({ model, tools: [look], output: [String, DeferredToolRequests] });
    const desk = openDesk({ store: opened.store, maxAttempts: 2, agents: { one: { agent } } });
    const runId = await desk.start('one', 'Go');

    for (let attempts = 0; attempts < 5; attempts++) {
      await desk.work({ runId });
      opened.clock.advance(1_000_000);
    }

    expect(requests).toBe(8);
    expect(await desk.run(runId)).toMatchObject({ state: 'finished', output: 'Done.' });
  });

  it('of each process that claims the run leaves it stuck', async () => {
    await using opened = await open();
    const hang = new Agent({
      model: functionModel(() => new Promise(() => {})),
      output: [String, DeferredToolRequests],
    });
    const options = { store: opened.store, maxAttempts: 2, lease: 1_000 };
    const desk = openDesk({ ...options, agents: { one: { agent: hang } } });
    const runId = await desk.start('one', 'Go');
    const hanging: Promise<unknown>[] = [];
    for (let attempts = 0; attempts < 2; attempts++) {
      hanging.push(desk.work({ runId }));
      while ((await desk.run(runId)).auditCount < attempts + 2) await new Promise(setImmediate);
      opened.clock.advance(2_000);
    }

    expect((await desk.work({ runId })).state).toBe('stuck');
    await desk.cancel(runId, { by: ADA });
    await Promise.all(hanging);
  });

  it('fails a run at once if a retry cannot succeed', async () => {
    await using opened = await open();
    const limited = new Agent({
      model: functionModel(() => {
        throw new Error('unreached');
      }),
      output: [String, DeferredToolRequests],
      usageLimits: { requestLimit: 0 },
    });
    const desk = openDesk({ store: opened.store, agents: { one: { agent: limited } } });
    const runId = await desk.start('one', 'Go');

    expect(await desk.work({ runId })).toMatchObject({
      state: 'failed',
      error: { code: 'usage-limit-exceeded' },
    });
  });

  it('of the code leaves a run stuck at once, and a retry after the fix finishes it', async () => {
    await using opened = await open();
    const bank = newBank();
    const deskWith = (agent: typeof teller) =>
      openDesk({ store: opened.store, agents: { teller: { agent, deps: () => bank } } });
    // The check forgets to return a decision, which its type does not allow.
    const undecided = tool({
      name: 'pay',
      inputSchema: z.object({ to: z.string() }),
      requiresApproval: (() => undefined) as unknown as () => boolean,
      execute: () => 'Paid.',
    });
    const mistaken = new Agent({ model: echoModel, tools: [undecided] });
    const desk = deskWith(mistaken as unknown as typeof teller);
    const runId = await desk.start('teller', 'pay a');

    expect(await desk.work({ runId })).toMatchObject({ state: 'stuck' });

    const repaired = deskWith(teller);
    await repaired.retry(runId, { by: ADA });
    expect(await repaired.work({ runId })).toMatchObject({ state: 'parked' });
    await decide(repaired, await onlyHold(repaired, runId), { kind: 'approve' });
    expect((await repaired.work({ runId })).state).toBe('finished');
    expect(bank.paid).toHaveLength(1);
  });

  it('of a toolset that cannot close does not undo its run', async () => {
    await using opened = await open();
    class Sticky extends FunctionToolset {
      async open(): Promise<void> {}

      async close(): Promise<void> {
        throw new Error('It does not close.');
      }
    }
    const errors: unknown[] = [];
    const bank = newBank();
    const agent = new Agent({ model: echoModel, tools: [pay], toolsets: [new Sticky([])], output });
    const desk = openDesk({
      store: opened.store,
      agents: { one: { agent, deps: () => bank } },
      onError: (error) => errors.push(error),
    });
    const runId = await desk.start('one', 'pay a');

    expect((await desk.work({ runId })).state).toBe('parked');
    await decide(desk, await onlyHold(desk, runId), { kind: 'approve' });

    expect((await desk.work({ runId })).state).toBe('finished');
    expect(errors).toMatchObject([{ message: 'It does not close.' }, {}]);
    expect(bank.paid).toHaveLength(1);
  });

  it('of a tool leaves its call in doubt, and the call does not execute again without a decision', async () => {
    await using opened = await open();
    let thrown = 0;
    const bank = newBank(() => {
      thrown += 1;
      if (thrown === 1) throw new TypeError('The line is dead.');
    });
    const desk = openDesk({
      store: opened.store,
      agents: { teller: { agent: teller, deps: () => bank } },
    });
    const runId = await desk.start('teller', 'book x');

    expect((await desk.work({ runId })).state).toBe('ready');
    opened.clock.advance(1_000);
    expect((await desk.work({ runId })).state).toBe('parked');

    const hold = await onlyHold(desk, runId);
    expect(hold.inDoubt?.reason).toContain('The line is dead.');
    expect(thrown).toBe(1);
    await decide(desk, hold, { kind: 'result', value: 'It was booked, they say.' });
    expect((await desk.work({ runId })).output).toContain('It was booked, they say.');
    expect(thrown).toBe(1);
  });
});

describe.each(STORES)('`notify` of a desk %s', (_, open) => {
  it('receives every event at least once, and again after a failure', async () => {
    await using opened = await open();
    const notified: DeskEvent[] = [];
    let failures = 1;
    const desk = openDesk({
      store: opened.store,
      agents: { teller: { agent: teller, deps: () => newBank() } },
      notify(event) {
        if (failures-- > 0) throw new Error('The receiver is down.');
        notified.push(event);
      },
    });
    const runId = await desk.start('teller', 'pay a');
    await desk.drain();
    opened.clock.advance(10_000);
    await desk.drain();
    await decide(desk, await onlyHold(desk, runId), { kind: 'approve' });
    await desk.drain();

    expect(notified.map(({ kind }) => kind).toSorted()).toEqual([
      'hold-opened',
      'hold-settled',
      'run-finished',
      'run-started',
    ]);
    expect(notified.every((event) => event.runId === runId && event.tenant === 'default')).toBe(
      true,
    );
  });
});
