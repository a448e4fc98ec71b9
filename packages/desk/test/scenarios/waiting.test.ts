import { type DeskEvent, openDesk, type Store } from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { onlyHold, decide } from '../support/people.ts';

const agents = { teller: { agent: teller, deps: () => newBank() } };

describe.each(STORES)('desk.waitFor at a desk %s', (_, open) => {
  it('resolves when the run parks, and again when it ends', async () => {
    await using opened = await open();
    const desk = openDesk({ store: opened.store, agents });
    const stop = new AbortController();
    const working = desk.startWorker({ signal: stop.signal, pollMs: 20 });

    const runId = await desk.start('teller', 'pay acme');
    const parked = await desk.waitFor(runId, { timeoutMs: 20_000 });
    await decide(desk, await onlyHold(desk, runId), { kind: 'approve' });
    const finished = await desk.waitFor(runId, { timeoutMs: 20_000 });

    expect(parked).toMatchObject({ state: 'parked', openHolds: 1 });
    expect(finished).toMatchObject({ state: 'finished', output: expect.stringContaining('acme') });
    stop.abort();
    await working;
  });

  it('rejects after `timeoutMs`, when the signal aborts, and for an unknown run', async () => {
    await using opened = await open();
    const desk = openDesk({ store: opened.store, agents });
    const runId = await desk.start('teller', 'pay acme');
    const reason = new Error('The caller left.');

    await expect(desk.waitFor(runId, { timeoutMs: 20 })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    const leaving = new AbortController();
    const waiting = desk.waitFor(runId, { signal: leaving.signal });
    leaving.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(desk.waitFor('other')).rejects.toMatchObject({ code: 'not-found' });
    await expect(desk.waitFor(runId, { timeoutMs: -1 })).rejects.toThrow(UserError);
  });
});

describe.each(STORES)('desk.close at a desk %s', (_, open) => {
  it('stops workers of all tenants, and closes the store after them', async () => {
    await using opened = await open();
    const order: string[] = [];
    const store: Store = watchedClose(opened.store, () => order.push('store closed'));
    const desk = openDesk({ store, agents });
    const working = [desk, desk.forTenant('other')].map(async (one) => {
      await one.startWorker({ pollMs: 20 });
      order.push('worker stopped');
    });

    await desk.close();
    await Promise.all(working);

    expect(order.toSorted()).toEqual(['store closed', 'worker stopped', 'worker stopped']);
    expect(order.at(-1)).toBe('store closed');
    await expect(desk.startWorker()).rejects.toThrow('closed');
  });
});

function watchedClose(store: Store, onClose: () => void): Store {
  return new Proxy(store, {
    get(target, key) {
      if (key === 'close') {
        return async () => {
          // Workers report that they stopped before this.
          await Promise.resolve();
          onClose();
        };
      }
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

describe.each(STORES)('events of a desk %s', (_, open) => {
  it('have the ids and a link to the inbox at the top level', async () => {
    await using opened = await open();
    const events: DeskEvent[] = [];
    const desk = openDesk({
      store: opened.store,
      agents,
      url: 'https://example.com/desk',
      notify: (event) => void events.push(event),
    });
    const runId = await desk.start('teller', 'pay acme');
    await desk.drain();
    const hold = await onlyHold(desk, runId);

    const started = events.find(({ kind }) => kind === 'run-started');
    const openedHold = events.find(({ kind }) => kind === 'hold-opened');
    const about = { tenant: 'default', runId };
    expect(started).toMatchObject({
      ...about,
      agent: 'teller',
      url: `https://example.com/desk/inbox/runs/${runId}`,
    });
    expect(openedHold).toMatchObject({
      ...about,
      holdId: hold.id,
      url: `https://example.com/desk/inbox/holds/${hold.id}`,
    });
  });
});
