import type { Desk, DueTask, Engine, Store } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
// From its source, because `npm run soak` replaces the `openDesk` of the package by one that adds an engine.
import { openDesk } from '../../src/http/open-desk.ts';
import { type Bank, newBank, teller } from '../support/bank.ts';
import { crashingStore } from '../support/crashing-store.ts';
import { Gate } from '../support/gate.ts';
import { type OpenedStore, STORES } from '../support/opened-store.ts';
import { decide, onlyHold } from '../support/people.ts';

const LEASE = 60_000;

const deskOn = (store: Store, bank: Bank, options: object = {}): Desk =>
  openDesk({
    store,
    lease: LEASE,
    agents: { teller: { agent: teller, deps: () => bank } },
    ...options,
  });

/** An engine that stores the tasks of its hints. */
class ListingEngine implements Engine {
  readonly tasks: DueTask[] = [];

  schedule(tasks: readonly DueTask[]): void {
    this.tasks.push(...tasks);
  }

  take(): readonly DueTask[] {
    return this.tasks.splice(0);
  }
}

/** Performs all tasks of an engine until none is due; returns the number of performances. */
async function performAll(desk: Desk, engine: ListingEngine, owner = 'one'): Promise<number> {
  let count = 0;
  for (let tasks = engine.take(); tasks.length > 0; tasks = engine.take()) {
    for (const task of tasks) {
      await desk.perform(task, { owner });
      count += 1;
    }
  }
  return count;
}

function withEngine(opened: OpenedStore, bank: Bank, options?: object) {
  const engine = new ListingEngine();
  const desk = deskOn(opened.store, bank, options);
  desk.useEngine(engine);
  return { desk, engine };
}

describe.each(STORES)('an engine of a desk %s', (_, open) => {
  it('is notified of each run that a process starts or resumes, and not of heartbeats', async () => {
    await using opened = await open();
    const bank = newBank();
    const { desk, engine } = withEngine(opened, bank);

    const runId = await desk.start('teller', 'pay a');
    expect(engine.tasks).toMatchObject([{ tenant: 'default', kind: 'run', id: runId, fence: 0 }]);
    await performAll(desk, engine);
    expect((await desk.run(runId)).state).toBe('parked');
    expect(engine.tasks).toEqual([]);
    await decide(desk, await onlyHold(desk, runId), { kind: 'approve' });
    expect(engine.tasks).toMatchObject([{ kind: 'run', id: runId, fence: 1 }]);
    await performAll(desk, engine);

    expect((await desk.run(runId)).state).toBe('finished');
    expect(bank.paid).toHaveLength(1);
  });

  it('may perform a task any number of times', async () => {
    await using opened = await open();
    const bank = newBank();
    const { desk, engine } = withEngine(opened, bank);
    await desk.start('teller', 'book a');
    const [task] = engine.take();
    if (task === undefined) throw new Error('No task was scheduled.');

    const all = Array.from({ length: 5 }, (_each, index) =>
      desk.perform(task, { owner: `owner-${index}` }),
    );
    await Promise.all(all);
    await desk.perform(task, { owner: 'late' });

    expect(bank.paid).toHaveLength(1);
  });

  it('may lose a task, because a sweep schedules it again', async () => {
    await using opened = await open();
    const { desk, engine } = withEngine(opened, newBank());
    const runId = await desk.start('teller', 'Hello');
    engine.take();

    expect(await desk.sweep()).toBe(0);
    opened.clock.advance(2_000);
    expect(await desk.sweep()).toBe(1);
    await performAll(desk, engine);

    expect((await desk.run(runId)).state).toBe('finished');
    expect(await desk.sweep({ overdueMs: 0 })).toBe(0);
  });

  it('takes a run over at once with the same owner, and only then', async () => {
    await using opened = await open();
    const bank = newBank();
    const dying = crashingStore(opened.store, 1, 'after');
    const { desk, engine } = withEngine(opened, bank);
    const runId = await desk.start('teller', 'book a');
    const [task] = engine.take();
    if (task === undefined) throw new Error('No task was scheduled.');
    await deskOn(dying.store, bank, { onError: () => {} })
      .perform(task, { owner: 'invocation' })
      .catch(() => {});
    expect(dying.hasCrashed()).toBe(true);
    expect((await desk.run(runId)).state).toBe('running');

    expect(await desk.perform(task, { owner: 'another' })).toBeUndefined();
    expect((await desk.run(runId)).state).toBe('running');
    await desk.perform(task, { owner: 'invocation' });

    expect((await desk.run(runId)).state).toBe('finished');
    expect(bank.paid).toHaveLength(1);
  });

  it('leaves a run that is ready and waits for its next attempt until it is due', async () => {
    await using opened = await open();
    let fails = true;
    const bank = newBank();
    const { desk, engine } = withEngine(opened, bank, {
      agents: {
        teller: {
          agent: teller,
          deps: () => {
            if (fails) throw new Error('The database is away.');
            return bank;
          },
        },
      },
      onError: () => {},
    });
    const runId = await desk.start('teller', 'Hello');
    const [task] = engine.take();
    if (task === undefined) throw new Error('No task was scheduled.');

    const next = await desk.perform(task, { owner: 'one' });
    expect(next?.again).toBeGreaterThan(0);
    expect(await desk.perform(task, { owner: 'one' })).toMatchObject({ task: { id: runId } });
    expect((await desk.run(runId)).state).toBe('ready');
    fails = false;
    opened.clock.advance(next?.again ?? 0);
    await desk.perform(task, { owner: 'one' });

    expect((await desk.run(runId)).state).toBe('finished');
  });

  it('is notified of the time at which a hold expires', async () => {
    await using opened = await open();
    const { desk, engine } = withEngine(opened, newBank(), { expiresAfter: 5_000 });
    const runId = await desk.start('teller', 'pay a');
    const [run] = engine.take();
    if (run === undefined) throw new Error('No task was scheduled.');
    await desk.perform(run, { owner: 'one' });

    const [expiry] = engine.take();
    expect(expiry).toMatchObject({ kind: 'expiry', due: opened.clock.now() + 5_000 });
    if (expiry === undefined) throw new Error('No expiry was scheduled.');
    expect(await desk.perform(expiry, { owner: 'timer' })).toMatchObject({ again: 5_000 });
    opened.clock.advance(5_000);
    expect(await desk.perform(expiry, { owner: 'timer' })).toBeUndefined();
    await performAll(desk, engine);

    expect((await desk.run(runId)).state).toBe('finished');
  });

  it('delivers events, and performs again after a failed delivery', async () => {
    await using opened = await open();
    const events: string[] = [];
    let fails = true;
    const { desk, engine } = withEngine(opened, newBank(), {
      onError: () => {},
      notify: ({ kind }: { kind: string }) => {
        if (fails) throw new Error('The receiver is away.');
        events.push(kind);
      },
    });
    await desk.start('teller', 'Hello');
    const outbox = engine.take().find(({ kind }) => kind === 'outbox');
    if (outbox === undefined) throw new Error('No event was scheduled.');

    const next = await desk.perform(outbox, { owner: 'one' });
    fails = false;
    opened.clock.advance(next?.again ?? 0);
    await desk.perform(outbox, { owner: 'one' });

    expect(next?.again).toBeGreaterThan(0);
    expect(events).toEqual(['run-started']);
  });

  it('can share a desk with a worker', async () => {
    await using opened = await open();
    const bank = newBank();
    const { desk, engine } = withEngine(opened, bank);
    const over = new AbortController();
    const working = desk.startWorker({ signal: over.signal, pollMs: 5 });

    const ids = [];
    for (const name of ['a', 'b', 'c', 'd']) ids.push(await desk.start('teller', `book ${name}`));
    for (const runId of ids) {
      await performAll(desk, engine);
      await desk.waitFor(runId, { timeoutMs: 10_000 });
    }
    over.abort();
    await working;

    expect(bank.paid).toHaveLength(4);
  });

  it('stops a performance when the desk closes, and releases the run', async () => {
    await using opened = await open();
    const under = new Gate();
    const go = new Gate();
    const bank = newBank(() => {
      under.open();
      return go.opened;
    });
    const { desk, engine } = withEngine(opened, bank);
    const runId = await desk.start('teller', 'book a');
    const [task] = engine.take();
    if (task === undefined) throw new Error('No task was scheduled.');
    const over = new AbortController();
    const performed = desk.perform(task, { owner: 'one', signal: over.signal });
    await under.opened;
    over.abort();
    go.open();

    expect(await performed).toMatchObject({ task: { id: runId } });
    expect((await desk.run(runId)).state).toBe('ready');
    await desk.perform(task, { owner: 'two' });
    expect((await desk.run(runId)).state).toBe('finished');
    expect(bank.paid).toHaveLength(1);
  });

  it('is reported and skipped if it throws', async () => {
    await using opened = await open();
    const errors: unknown[] = [];
    const desk = deskOn(opened.store, newBank(), {
      onError: (error: unknown) => errors.push(error),
    });
    desk.useEngine({
      schedule() {
        throw new Error('No connection.');
      },
    });

    const runId = await desk.start('teller', 'Hello');

    expect((await desk.run(runId)).state).toBe('ready');
    expect(errors.map(String)).toEqual(['Error: No connection.']);
  });

  it('rejects wrong tasks, options and engines', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, newBank());
    const task = { tenant: 'default', kind: 'run', id: 'r' } as const;
    const wrong = (value: unknown) => value as never;

    await expect(desk.sweep()).rejects.toThrow('The desk has no engine');
    expect(() => desk.useEngine(wrong({}))).toThrow('Pass an object with `schedule(tasks)`');
    await expect(desk.perform(task, wrong({}))).rejects.toThrow('owner');
    await expect(desk.perform(wrong({ ...task, kind: 'job' }), { owner: 'a' })).rejects.toThrow(
      '`kind`',
    );
    await expect(desk.perform(wrong(undefined), { owner: 'a' })).rejects.toThrow('The task of');
    await expect(desk.perform(task, wrong({ owner: 'a', signals: 1 }))).rejects.toThrow(
      '`signals`',
    );
    expect(await desk.perform(task, { owner: 'a' })).toBeUndefined();
  });
});
