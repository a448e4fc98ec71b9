import {
  type Desk,
  exportAudit,
  openDesk,
  type RetentionOptions,
  type Store,
  verifyAudit,
} from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA } from '../support/people.ts';

const DAY = 24 * 60 * 60_000;
const POLICY: RetentionOptions = {
  messages: 10 * DAY,
  holds: 20 * DAY,
  runs: 30 * DAY,
  audit: 60 * DAY,
  events: 15 * DAY,
  tokens: 5 * DAY,
};
const NOTHING = {
  messages: 0,
  holds: 0,
  runs: 0,
  audits: 0,
  events: 0,
  deliveries: 0,
  deadLetters: 0,
  tokens: 0,
};

function openTeller(store: Store, options: { readonly retention?: RetentionOptions } = {}) {
  const bank = newBank();
  const agents = { teller: { agent: teller, deps: () => bank } };
  return { bank, desk: openDesk({ store, agents, retention: POLICY, ...options }) };
}

async function approveAll(desk: Desk): Promise<void> {
  for (const { id, digest } of (await desk.holds()).items) {
    await desk.decide(id, { kind: 'approve' }, { by: ADA, digest });
  }
}

/** Starts a run that pays, and approves the payment; returns the id of the finished run. */
async function payOnce(desk: Desk, conversationId: string): Promise<string> {
  const runId = await desk.start('teller', 'pay bob', { conversationId, requester: { id: 'eve' } });
  await desk.drain();
  await approveAll(desk);
  await desk.drain();
  expect((await desk.run(runId)).state).toBe('finished');
  return runId;
}

async function auditOf(store: Store) {
  return verifyAudit({ tenant: 'default', entries: exportAudit(store, { tenant: 'default' }) });
}

describe.each(STORES)('retention %s', (_, open) => {
  it('deletes each part of an ended run at its age, and the audit stays verifiable', async () => {
    await using opened = await open();
    const { desk } = openTeller(opened.store);
    const runId = await payOnce(desk, 'c1');
    expect(await desk.applyRetention()).toEqual(NOTHING);

    opened.clock.advance(11 * DAY);
    const planned = await desk.applyRetention({ dryRun: true });
    expect(planned).toMatchObject({ messages: 4, holds: 0, runs: 0 });
    expect(await desk.history('c1')).toHaveLength(4);
    expect(await desk.applyRetention()).toEqual(planned);
    expect(await desk.history('c1')).toEqual([]);
    expect(await desk.run(runId)).toMatchObject({ state: 'finished', requester: { id: 'eve' } });

    opened.clock.advance(10 * DAY);
    expect(await desk.applyRetention()).toMatchObject({ messages: 0, holds: 1, runs: 0 });
    expect((await desk.holds({ states: ['consumed'] })).items).toEqual([]);

    opened.clock.advance(10 * DAY);
    expect(await desk.applyRetention()).toMatchObject({ holds: 0, runs: 1, audits: 0 });
    const erased = await desk.run(runId);
    expect(erased).toMatchObject({
      state: 'finished',
      agent: 'teller',
      erasedAt: expect.anything(),
    });
    expect(erased).not.toHaveProperty('requester');
    expect(erased).not.toHaveProperty('output');
    expect((await desk.runs()).items).toEqual([]);
    expect(await auditOf(opened.store)).toMatchObject({ status: 'intact', runs: 1 });
    const kinds = (await desk.audit(runId)).filter(({ kind }) => kind === 'data-erased');
    expect(kinds.map(({ data }) => data['part'])).toEqual(['history', 'holds', 'content']);

    // The last event of the database stays, so a second run is needed to delete the events of the first.
    await payOnce(desk, 'c2');
    opened.clock.advance(31 * DAY);
    expect(await desk.applyRetention()).toMatchObject({ audits: 1 });
    await expect(desk.run(runId)).rejects.toMatchObject({ code: 'not-found' });
    expect(await auditOf(opened.store)).toMatchObject({ status: 'intact', runs: 1 });
  });

  it('deletes nothing of a parked run or of its conversation, at any age', async () => {
    await using opened = await open();
    const { desk, bank } = openTeller(opened.store);
    const first = await payOnce(desk, 'c1');
    const parked = await desk.message('c1', 'pay carl');
    await desk.drain();
    const before = await desk.history('c1');

    opened.clock.advance(1_000 * DAY);
    expect(await desk.applyRetention()).toMatchObject({ messages: 0, runs: 0, audits: 0 });

    expect(await desk.history('c1')).toEqual(before);
    expect((await desk.holds()).items).toMatchObject([{ runId: parked, state: 'open' }]);
    expect(await desk.run(first)).toHaveProperty('output');
    await approveAll(desk);
    await desk.drain();
    expect((await desk.run(parked)).state).toBe('finished');
    expect(bank.paid.map(({ to }) => to)).toEqual(['bob', 'carl']);
  });

  it('keeps the hold, the audit and the run of a grant that may still approve calls', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = openDesk({
      store: opened.store,
      agents: { teller: { agent: teller, deps: () => bank } },
      approvers: { pay: { grants: 'tenant' } },
      retention: POLICY,
    });
    const runId = await desk.start('teller', 'pay bob');
    await desk.drain();
    const [hold] = (await desk.holds()).items;
    const grant = { scope: 'tenant', match: 'tool' } as const;
    await desk.decide(hold!.id, { kind: 'approve' }, { by: ADA, digest: hold!.digest, grant });
    await desk.drain();

    opened.clock.advance(100 * DAY);
    expect(await desk.applyRetention()).toMatchObject({
      messages: 4,
      holds: 0,
      runs: 0,
      audits: 0,
    });
    const second = await desk.start('teller', 'pay carl');
    await desk.drain();
    expect((await desk.run(second)).state).toBe('finished');

    const [made] = (await desk.grants({ live: true })).items;
    await desk.revokeGrant(made!.id, { by: ADA });
    opened.clock.advance(100 * DAY);
    await desk.applyRetention();
    expect(await desk.run(runId)).toHaveProperty('erasedAt');
    expect((await desk.grants()).items).toEqual([]);
  });

  it('keeps a conversation with a call in doubt', async () => {
    await using opened = await open();
    const { desk } = openTeller(opened.store);
    const runId = await payOnce(desk, 'c1');
    await opened.store.write(async (tx) => {
      await tx.entries.insert({
        tenant: 'default',
        key: '["step","call:1"]',
        state: 'in-doubt',
        runId,
        changedAt: await tx.now(),
      });
    });

    opened.clock.advance(1_000 * DAY);
    expect(await desk.applyRetention()).toMatchObject({ messages: 0, runs: 0, audits: 0 });
    expect(await desk.history('c1')).toHaveLength(4);
  });

  it('returns the same run for an idempotency key for as long as the run is kept', async () => {
    await using opened = await open();
    const { desk } = openTeller(opened.store);
    const start = () => desk.start('teller', 'Hello', { idempotencyKey: 'k1' });
    const runId = await start();
    await desk.drain();

    opened.clock.advance(29 * DAY);
    await desk.applyRetention();
    expect(await desk.history((await desk.run(runId)).conversationId)).toEqual([]);
    expect(await start()).toBe(runId);

    opened.clock.advance(2 * DAY);
    await desk.applyRetention();
    expect(await start()).not.toBe(runId);
  });

  it('continues an erased conversation without its former messages and requesters', async () => {
    await using opened = await open();
    const { desk } = openTeller(opened.store);
    await payOnce(desk, 'c1');
    opened.clock.advance(40 * DAY);
    await desk.applyRetention();

    const runId = await desk.message('c1', 'Hello', { requester: { id: 'carl' } });
    await desk.drain();

    const run = await desk.run(runId);
    expect(run).toMatchObject({ state: 'finished', requester: { id: 'carl' } });
    expect(run).not.toHaveProperty('otherRequesters');
    expect(await desk.history('c1')).toHaveLength(2);
  });

  it('keeps events that must still be delivered, and the position of readers', async () => {
    await using opened = await open();
    const agents = { teller: { agent: teller, deps: () => newBank() } };
    let isDown = true;
    const desk = openDesk({
      store: opened.store,
      agents,
      retention: POLICY,
      notify() {
        if (isDown) throw new Error('The chat is down.');
      },
      onError() {},
    });
    await desk.drain();
    await desk.start('teller', 'Hello');
    await desk.drain();
    const { items: before } = await desk.events();

    opened.clock.advance(100 * DAY);
    expect(await desk.applyRetention()).toMatchObject({ events: 0 });
    isDown = false;
    await desk.drain();
    expect(await desk.applyRetention()).toMatchObject({ events: before.length - 1 });
    expect((await desk.events()).items).toMatchObject([{ id: before.at(-1)!.id }]);
    await desk.start('teller', 'Hello');
    const { items: after } = await desk.events();
    expect(after[1]!.sequence).toBeGreaterThan(before.at(-1)!.sequence);
  });

  it('is applied by one worker at a time, once an hour', async () => {
    await using opened = await open();
    let passes = 0;
    const counted: Store = {
      write: (work) => opened.store.write(work),
      read: (work) =>
        opened.store.read((tx) => {
          const { retention } = tx;
          const endedRuns = retention.endedRuns.bind(retention);
          retention.endedRuns = (part, page) => {
            if (part === 'content') passes += 1;
            return endedRuns(part, page);
          };
          return work(tx);
        }),
      onDue: (listener) => opened.store.onDue(listener),
      markRestoredFromBackup: (time) => opened.store.markRestoredFromBackup(time),
      close: () => opened.store.close(),
      [Symbol.asyncDispose]: () => opened.store.close(),
    };
    const { desk } = openTeller(counted);
    const runId = await payOnce(desk, 'c1');
    opened.clock.advance(40 * DAY);
    const stop = new AbortController();
    const working = [1, 2, 3].map(() => desk.startWorker({ signal: stop.signal, pollMs: 5 }));

    await expect.poll(() => desk.run(runId)).toHaveProperty('erasedAt');
    stop.abort();
    await Promise.all(working);
    expect(passes).toBe(1);
  });
});

describe('the option `retention`', () => {
  const rejected: readonly (readonly [string, unknown, string])[] = [
    ['an unknown kind', { message: 5 }, 'Did you mean `messages`?'],
    ['an age of 0', { runs: 0 }, '`retention.runs` is 0.'],
    ['a text', { runs: '30d' }, '`retention.runs` is 30d.'],
    ['an audit without runs', { audit: 5, events: 5 }, 'without `retention.runs`'],
    ['an audit without events', { audit: 5, runs: 5 }, 'without `retention.events`'],
    ['messages that outlive runs', { messages: 6, runs: 5 }, 'longer than `retention.runs` (5)'],
    ['a list', [5], 'Pass an object.'],
  ];

  it.each(rejected)('rejects %s', async (_, retention, message) => {
    const [[, open]] = STORES as [(typeof STORES)[0]];
    await using opened = await open();

    // The types reject it, too.
    const openWrong = () => openTeller(opened.store, { retention: retention as RetentionOptions });
    expect(openWrong).toThrow(UserError);
    expect(openWrong).toThrow(message);
  });
});
