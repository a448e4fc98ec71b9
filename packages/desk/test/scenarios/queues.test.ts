import { setTimeout as sleep } from 'node:timers/promises';
import { sqliteStore, openDesk, type DeskEvent, type Store } from '@holdpoint/desk';
import { Agent, DeferredToolRequests } from 'holdpoint';
import { functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { Gate } from '../support/gate.ts';
import { openReceiver } from '../support/receiver.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA } from '../support/people.ts';

const output = [String, DeferredToolRequests] as const;
const clerk = new Agent({ model: functionModel(() => says('Hello.')), output });
const MINUTES = 60_000;

/** The tasks of a tenant that are stored, of these kinds. */
async function taskOf(store: Store, kind: 'run' | 'outbox', id: string) {
  return store.read((tx) => tx.tasks.get('default', kind, id));
}

/** Returns a store that counts its writes. */
function counting(store: Store) {
  const counted = {
    writes: 0,
    store: {
      ...forwarding(store),
      write(work, options) {
        counted.writes += 1;
        return store.write(work, options);
      },
    } satisfies Store,
  };
  return counted;
}

/** Returns a store that reports no change, as if all notifications of other processes were lost. */
function withoutReports(store: Store): Store {
  return { ...forwarding(store), onDue: () => () => {} };
}

function forwarding(store: Store): Store {
  return {
    write: (work, options) => store.write(work, options),
    read: (work, options) => store.read(work, options),
    onDue: (listener) => store.onDue(listener),
    markRestoredFromBackup: (time) => store.markRestoredFromBackup(time),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

describe.each(STORES)('desk B7: a worker without the agent of a run %s', (_, open) => {
  it('does not claim the run, so that it costs no attempt', async () => {
    await using opened = await open();
    const older = openDesk({ store: opened.store, agents: { clerk: { agent: clerk } } });
    const newer = openDesk({
      store: opened.store,
      agents: { clerk: { agent: clerk }, teller: { agent: teller, deps: () => newBank() } },
    });
    const runId = await newer.start('teller', 'Hello');
    const known = await newer.start('clerk', 'Hello');

    for (let attempts = 0; attempts < 10; attempts++) {
      await older.drain();
      await older.work({ runId });
      opened.clock.advance(5 * MINUTES);
    }

    expect((await older.run(known)).state).toBe('finished');
    expect(await taskOf(opened.store, 'run', runId)).toMatchObject({ attempts: 0, fence: 0 });
    expect(await older.run(runId)).toMatchObject({ state: 'ready' });
    await newer.drain();
    expect((await newer.run(runId)).state).toBe('finished');
  });
});

describe.each(STORES)('desk B6: notifications %s', (_, open) => {
  it('are delivered while there is a backlog of runs', async () => {
    await using opened = await open();
    const done: string[] = [];
    const model = functionModel(() => {
      done.push('run');
      return says('Hello.');
    });
    const agents = { clerk: { agent: new Agent({ model, output }) } };
    const notify = () => void done.push('notification');
    const desk = openDesk({ store: opened.store, agents, notify });
    for (let index = 0; index < 20; index++) await desk.start('clerk', 'Hi');

    await desk.drain();

    expect(done.indexOf('notification')).toBeLessThan(3);
    expect(done.slice(0, 20).filter((one) => one === 'run').length).toBeGreaterThan(5);
  });

  it('are delivered while runs take all slots of a worker', async () => {
    await using opened = await open();
    const [requested, notified, go] = [new Gate(), new Gate(), new Gate()];
    const model = functionModel(async () => {
      requested.open();
      await go.opened;
      return says('Hello.');
    });
    const agents = { clerk: { agent: new Agent({ model, output }) } };
    const kinds: string[] = [];
    const notify = ({ kind }: DeskEvent) => {
      kinds.push(kind);
      if (kind === 'run-cancelled') notified.open();
    };
    const desk = openDesk({ store: opened.store, agents, notify });
    await desk.start('clerk', 'Hi');
    const stop = new AbortController();
    const working = desk.startWorker({ signal: stop.signal, concurrency: 1, pollMs: 5 });
    await requested.opened;

    const second = await desk.start('clerk', 'Hi');
    await desk.cancel(second, { by: ADA });
    await notified.opened;

    expect(kinds).toContain('run-cancelled');
    go.open();
    stop.abort();
    await working;
  });
});

describe.each(STORES)('a due task %s', (_, open) => {
  it('is claimed at once, also if a slot that may not claim it has waited for longest', async () => {
    await using opened = await open();
    const desk = openDesk({ store: opened.store, agents: { clerk: { agent: clerk } } });
    const stop = new AbortController();
    // Polls would hide a notification that reached the wrong slot.
    const working = desk.startWorker({ signal: stop.signal, concurrency: 1, pollMs: 600_000 });

    for (let index = 0; index < 6; index++) {
      const runId = await desk.start('clerk', 'Hi');
      const run = await desk.waitFor(runId, { timeoutMs: 5_000 });
      expect(run.state).toBe('finished');
      // All slots wait before the next run starts.
      await sleep(20);
    }
    stop.abort();
    await working;
  });

  it('is found by a poll if no process reported it', async () => {
    await using opened = await open();
    const desk = openDesk({
      store: withoutReports(opened.store),
      agents: { clerk: { agent: clerk } },
    });
    const stop = new AbortController();
    const working = desk.startWorker({ signal: stop.signal, pollMs: 20 });
    await sleep(50);

    const runId = await desk.start('clerk', 'Hi');

    expect((await desk.waitFor(runId, { timeoutMs: 5_000 })).state).toBe('finished');
    stop.abort();
    await working;
  });
});

describe('an idle worker', () => {
  it('reads for due tasks once per poll, however many slots it has', async () => {
    const counted = counting(await sqliteStore());
    const desk = openDesk({ store: counted.store, agents: { clerk: { agent: clerk } } });
    const stop = new AbortController();
    const working = desk.startWorker({ signal: stop.signal, concurrency: 50, pollMs: 100 });
    await sleep(200);

    const before = counted.writes;
    await sleep(1_000);

    expect(counted.writes - before).toBeLessThan(15);
    expect(counted.writes - before).toBeGreaterThan(2);
    stop.abort();
    await working;
  });
});

describe.each(STORES)('reserved slots %s', (_, open) => {
  it('are occupied only by tasks of their kind', async () => {
    await using opened = await open();
    const go = new Gate();
    const executing = { run: 0, outbox: 0 };
    const model = functionModel(async () => {
      executing.run += 1;
      await go.opened;
      return says('Hello.');
    });
    const notify = async () => {
      executing.outbox += 1;
      await go.opened;
    };
    const agents = { clerk: { agent: new Agent({ model, output }) } };
    const desk = openDesk({ store: opened.store, agents, notify });
    await desk.drain();
    for (let index = 0; index < 10; index++) await desk.start('clerk', 'Hi');
    const stop = new AbortController();
    const working = desk.startWorker({
      signal: stop.signal,
      concurrency: 1,
      pollMs: 5,
      reservedSlots: { run: 2, outbox: 3 },
    });

    while (executing.run + executing.outbox < 6) await sleep(5);
    await sleep(100);

    // One slot is for any kind.
    expect(executing.run + executing.outbox).toBe(6);
    expect(executing.run).toBeGreaterThanOrEqual(2);
    expect(executing.outbox).toBeGreaterThanOrEqual(3);
    go.open();
    stop.abort();
    await working;
  });

  it('can be none, so that a kind has only the shared slots', async () => {
    await using opened = await open();
    const go = new Gate();
    const model = functionModel(async () => {
      await go.opened;
      return says('Hello.');
    });
    const kinds: string[] = [];
    const agents = { clerk: { agent: new Agent({ model, output }) } };
    const desk = openDesk({
      store: opened.store,
      agents,
      notify: ({ kind }) => void kinds.push(kind),
    });
    const [first, second] = [await desk.start('clerk', 'Hi'), await desk.start('clerk', 'Hi')];
    await desk.cancel(second, { by: ADA });
    const stop = new AbortController();
    const options = { concurrency: 1, pollMs: 5, reservedSlots: { outbox: 0 } };
    const working = desk.startWorker({ signal: stop.signal, ...options });
    while ((await desk.run(first)).state !== 'running') await sleep(5);
    const before = kinds.length;
    await sleep(100);

    expect(kinds.length).toBe(before);
    expect(kinds).not.toContain('run-cancelled');
    go.open();
    stop.abort();
    await working;
  });

  it.each<[unknown, string]>([
    [{ outbux: 1 }, 'Unknown option `outbux` of `reservedSlots`. Did you mean `outbox`?'],
    [{ webhook: -1 }, '`reservedSlots.webhook` is -1. Pass a whole number from 0.'],
    [{ webhook: 1.5 }, '`reservedSlots.webhook` is 1.5. Pass a whole number from 0.'],
    [3, '`reservedSlots` is `3`. Pass an object with numbers by kind of task.'],
  ])('are rejected with advice: %o', async (given, message) => {
    await using opened = await open();
    const desk = openDesk({ store: opened.store, agents: { clerk: { agent: clerk } } });
    // A program without types passes anything.
    const reservedSlots = given as { readonly webhook?: number };
    await expect(desk.startWorker({ reservedSlots })).rejects.toThrow(message);
  });
});

describe.each(STORES)('desk B8: turning on notifications %s', (_, open) => {
  it('does not deliver what happened before', async () => {
    await using opened = await open();
    const agents = { clerk: { agent: clerk } };
    const before = openDesk({ store: opened.store, agents });
    const old = await before.start('clerk', 'Hi');
    await before.drain();
    const [event] = (await before.events()).items;
    expect(await taskOf(opened.store, 'outbox', event!.id)).toBeUndefined();

    const runIds: string[] = [];
    const notify = ({ runId }: DeskEvent) => void runIds.push(runId);
    const after = openDesk({ store: opened.store, agents, notify });
    await after.drain();
    const fresh = await before.start('clerk', 'Hi');
    await after.drain();

    expect(new Set(runIds)).toEqual(new Set([fresh]));
    expect(runIds).not.toContain(old);
  });

  it('keeps events for a week for processes that deliver them, and no longer', async () => {
    await using opened = await open();
    const agents = { clerk: { agent: clerk } };
    const desk = openDesk({ store: opened.store, agents });
    await openDesk({ store: opened.store, agents, notify: () => {} }).drain();
    const taskOfLatest = async () => {
      await desk.start('clerk', 'Hi');
      return taskOf(opened.store, 'outbox', (await desk.latestEvent())!.id);
    };

    opened.clock.advance(6 * 24 * 60 * MINUTES);
    expect(await taskOfLatest()).toBeDefined();
    opened.clock.advance(2 * 24 * 60 * MINUTES);
    expect(await taskOfLatest()).toBeUndefined();
  });
});

describe.each(STORES)('desk B20: a notification that always fails %s', (_, open) => {
  it('is given up after 50 attempts, which is reported and in the audit', async () => {
    await using opened = await open();
    let attempts = 0;
    const errors: unknown[] = [];
    const desk = openDesk({
      store: opened.store,
      agents: { clerk: { agent: clerk } },
      notify({ kind }) {
        if (kind !== 'run-started') return;
        attempts += 1;
        throw new Error('The chat is gone.');
      },
      onError: (error) => errors.push(error),
    });
    const runId = await desk.start('clerk', 'Hi');

    for (let rounds = 0; rounds < 60; rounds++) {
      await desk.drain();
      opened.clock.advance(5 * MINUTES);
    }

    expect(attempts).toBe(50);
    expect(errors.at(-1)).toMatchObject({
      name: 'TaskGivenUpError',
      cause: new Error('The chat is gone.'),
    });
    const audit = await desk.audit(runId);
    expect(audit.filter(({ kind }) => kind === 'notification-given-up')).toMatchObject([
      { data: { attempts: 50 } },
    ]);
  });
});

describe('desk B12: a receiver of webhooks that hangs', () => {
  it('does not make workers write for each delivery that waits for it', async () => {
    await using receiver = await openReceiver();
    receiver.response = 'silence';
    const counted = counting(await sqliteStore());
    const desk = openDesk({
      store: counted.store,
      agents: { clerk: { agent: clerk } },
      webhooks: [{ url: receiver.url, secret: `whsec_${'A'.repeat(43)}=` }],
    });
    for (let index = 0; index < 100; index++) await desk.start('clerk', 'Hi');
    const stop = new AbortController();
    const working = desk.startWorker({ signal: stop.signal, pollMs: 50 });
    const isPending = async () => {
      const { items } = await desk.events({ limit: 500 });
      const [last] = items.slice(-1);
      return items.length === 200 && (await desk.deliveries(last!.id)).length === 1;
    };
    while (!(await isPending())) await sleep(20);

    // The deliveries that were claimed before it was known that the receiver hangs.
    await sleep(300);
    const before = counted.writes;
    await sleep(1_000);

    // The worker polls every 50 ms with one write. Earlier versions had 2 writes per delivery.
    expect(counted.writes - before).toBeLessThan(60);
    stop.abort();
    await working;
  });
});
