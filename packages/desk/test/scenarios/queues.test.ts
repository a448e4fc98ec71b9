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
    const store = await sqliteStore();
    let writes = 0;
    const counted: Store = {
      write(work, options) {
        writes += 1;
        return store.write(work, options);
      },
      read: (work, options) => store.read(work, options),
      onDue: (listener) => store.onDue(listener),
      markRestoredFromBackup: (time) => store.markRestoredFromBackup(time),
      close: () => store.close(),
      [Symbol.asyncDispose]: () => store.close(),
    };
    const desk = openDesk({
      store: counted,
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
    const before = writes;
    await sleep(1_000);

    // Each slot looks for work every 50 ms, which is one write; before, there were 2 for each delivery.
    expect(writes - before).toBeLessThan(150);
    stop.abort();
    await working;
  });
});
