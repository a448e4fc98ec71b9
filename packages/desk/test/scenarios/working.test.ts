import { type Desk, openDesk, type Store } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { type Bank, newBank, teller } from '../support/bank.ts';
import { Gate } from '../support/gate.ts';
import { STORES } from '../support/opened-store.ts';
import { onlyHold, decide } from '../support/people.ts';

const deskOn = (store: Store, bank: Bank, onError?: (error: unknown) => void): Desk =>
  openDesk({ store, onError, agents: { teller: { agent: teller, deps: () => bank } } });

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let attempts = 0; attempts < 500; attempts++) {
    if (await isSo()) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
  throw new Error('It did not happen.');
}

/** A store whose first claim returns only after the gate opens, as over a slow connection. */
function withSlowClaim(
  store: Store,
  gate: { readonly isClaimed: Gate; readonly returns: Gate },
): Store {
  let isFirst = true;
  const write: Store['write'] = async (work, options) => {
    const result = await store.write(work, options);
    if (options?.about !== 'tasks' || !isFirst) return result;
    isFirst = false;
    gate.isClaimed.open();
    await gate.returns.opened;
    return result;
  };
  return new Proxy(store, {
    get(target, key) {
      if (key === 'write') return write;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

describe.each(STORES)('a worker of a desk %s', (_, open) => {
  it('executes a run at once that starts while a claim has found nothing', async () => {
    await using opened = await open();
    const gate = { isClaimed: new Gate(), returns: new Gate() };
    const desk = deskOn(withSlowClaim(opened.store, gate), newBank());
    const over = new AbortController();
    const working = desk.startWorker({ signal: over.signal, pollMs: 60_000, concurrency: 1 });
    await gate.isClaimed.opened;

    const runId = await desk.start('teller', 'pay a');
    gate.returns.open();

    await until(async () => (await desk.run(runId)).state === 'parked');
    over.abort();
    await working;
  });

  it('executes due runs at once, until its signal aborts', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, bank);
    const over = new AbortController();
    // The store wakes the worker: the test is shorter than one poll.
    const working = desk.startWorker({ signal: over.signal, pollMs: 60_000 });

    const runId = await desk.start('teller', 'pay a');
    await until(async () => (await desk.run(runId)).state === 'parked');
    await decide(desk, await onlyHold(desk, runId), { kind: 'approve' });
    await until(async () => (await desk.run(runId)).state === 'finished');
    over.abort();
    await working;

    expect(bank.paid).toHaveLength(1);
    await desk.start('teller', 'Hello');
    expect((await desk.runs({ states: ['ready'] })).items).toHaveLength(1);
  });

  it('finds runs of other processes with its next poll', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, newBank());
    const runId = await desk.start('teller', 'Hello');
    const over = new AbortController();
    const deaf: Store = { ...boundTo(opened.store), onDue: () => () => {} };
    const working = deskOn(deaf, newBank()).startWorker({ signal: over.signal, pollMs: 5 });

    await until(async () => (await desk.run(runId)).state === 'finished');

    over.abort();
    await working;
  });

  it('executes several runs at a time', async () => {
    await using opened = await open();
    const gate = new Gate();
    let under = 0;
    const bank = newBank(() => {
      under += 1;
      if (under === 3) gate.open();
      return gate.opened;
    });
    const desk = deskOn(opened.store, bank);
    for (const name of ['a', 'b', 'c']) await desk.start('teller', `book ${name}`);
    const over = new AbortController();
    const working = desk.startWorker({ signal: over.signal, concurrency: 3 });

    // Each run waits for the others, so sequential runs would never end.
    await until(async () => bank.paid.length === 3);

    over.abort();
    await working;
  });

  it('stops after its current step, and another worker continues the run', async () => {
    await using opened = await open();
    const under = new Gate();
    const go = new Gate();
    const bank = newBank(() => {
      under.open();
      return go.opened;
    });
    const desk = deskOn(opened.store, bank);
    const runId = await desk.start('teller', 'book a');
    const over = new AbortController();
    const working = desk.startWorker({ signal: over.signal });
    await under.opened;

    over.abort();
    go.open();
    await working;

    expect(await desk.run(runId)).toMatchObject({ state: 'ready' });
    expect(bank.paid).toHaveLength(1);
    expect((await desk.work({ runId })).output).toBe('Results: "booked a"');
    expect(bank.paid).toHaveLength(1);
  });

  it('continues after the store has failed', async () => {
    await using opened = await open();
    const errors: unknown[] = [];
    let failures = 2;
    const flaky: Store = {
      ...boundTo(opened.store),
      write(work, options) {
        if (failures-- > 0) throw new Error('The database is gone.');
        return opened.store.write(work, options);
      },
    };
    const desk = deskOn(opened.store, newBank());
    const runId = await desk.start('teller', 'Hello');
    const over = new AbortController();
    const working = deskOn(flaky, newBank(), (error) => errors.push(error)).startWorker({
      signal: over.signal,
      concurrency: 1,
      pollMs: 5,
    });

    await until(async () => (await desk.run(runId)).state === 'finished');

    over.abort();
    await working;
    expect(errors).toHaveLength(2);
  });

  it('does not claim a run that another worker has', async () => {
    await using opened = await open();
    const under = new Gate();
    const go = new Gate();
    const bank = newBank(() => {
      under.open();
      return go.opened;
    });
    const desk = deskOn(opened.store, bank);
    const runId = await desk.start('teller', 'book a');
    const first = desk.work({ runId });
    await under.opened;

    expect((await desk.work({ runId })).state).toBe('running');
    expect(await desk.drain()).toBe(0);

    go.open();
    expect((await first).state).toBe('finished');
    expect(bank.paid).toHaveLength(1);
  });
});

describe.each(STORES)('a desk %s that was restored from a backup', (_, open) => {
  it('leaves a run stuck that may have executed calls since', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, bank);
    const runId = await desk.start('teller', 'pay a');
    await desk.work({ runId });
    await decide(desk, await onlyHold(desk, runId), { kind: 'approve' });

    await opened.store.markRestoredFromBackup(Date.now() + 1_000);

    expect(await desk.work({ runId })).toMatchObject({
      state: 'stuck',
      error: { code: 'step-forgotten' },
    });
    expect(bank.paid).toEqual([]);
  });
});

function boundTo(store: Store): Store {
  return {
    write: (work, options) => store.write(work, options),
    read: (work, options) => store.read(work, options),
    onDue: (listener) => store.onDue(listener),
    markRestoredFromBackup: (time) => store.markRestoredFromBackup(time),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}
