import { openDesk } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, UserError } from 'holdpoint';
import { functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { openReceiver } from '../support/receiver.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA } from '../support/people.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const output = [String, DeferredToolRequests] as const;
const clerk = new Agent({ model: functionModel(() => says('Hello.')), output });
const BY = { by: ADA };

describe.each(STORES)('a dead letter %s', (_, open) => {
  it('of a notification is listed with its problem, and delivered when it is replayed', async () => {
    await using opened = await open();
    let isDown = true;
    const delivered: string[] = [];
    const desk = openDesk({
      store: opened.store,
      agents: { clerk: { agent: clerk } },
      notify({ kind }) {
        if (isDown) throw new Error('The chat is gone.');
        delivered.push(kind);
      },
      onError() {},
    });
    await desk.drain();
    const runId = await desk.start('clerk', 'Hi');
    for (let rounds = 0; rounds < 60; rounds++) {
      await desk.drain();
      opened.clock.advance(5 * MINUTE);
    }

    const { items } = await desk.deadLetters();
    expect(items).toMatchObject([
      { kind: 'outbox', attempts: 50, problem: 'Error: The chat is gone.' },
      { kind: 'outbox', attempts: 50 },
    ]);
    expect((await desk.deadLetters({ limit: 1 })).next).toBeDefined();
    expect((await desk.forTenant('other').deadLetters()).items).toEqual([]);

    isDown = false;
    for (const letter of items) await desk.replayDeadLetter(letter, BY);
    await desk.drain();
    expect(delivered.toSorted()).toEqual(['run-finished', 'run-started']);
    expect((await desk.deadLetters()).items).toEqual([]);
    await expect(desk.replayDeadLetter(items[0]!, BY)).rejects.toMatchObject({
      code: 'not-found',
    });
    const kinds = (await desk.audit(runId)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'task-replayed')).toHaveLength(2);
  });

  it('of a webhook is delivered when it is replayed, or discarded', async () => {
    await using opened = await open();
    await using receiver = await openReceiver();
    receiver.response = { status: 410 };
    const desk = openDesk({
      store: opened.store,
      agents: { clerk: { agent: clerk } },
      webhooks: [{ url: receiver.url, secret: `whsec_${'A'.repeat(43)}=` }],
      retention: { events: DAY },
      onError() {},
    });
    await desk.drain();
    await desk.start('clerk', 'Hi');
    for (let rounds = 0; rounds < 5; rounds++) {
      await desk.drain();
      opened.clock.advance(5 * MINUTE);
    }
    const { items } = await desk.deadLetters();
    expect(items).toMatchObject([
      { kind: 'webhook', attempts: 1, problem: 'The receiver responded with status 410.' },
      { kind: 'webhook', attempts: 1 },
    ]);
    opened.clock.advance(10 * DAY);
    expect(await desk.applyRetention()).toMatchObject({ events: 0 });

    receiver.response = { status: 204 };
    await desk.replayDeadLetter(items[0]!, BY);
    await desk.discardDeadLetter(items[1]!, BY);
    opened.clock.advance(5 * MINUTE);
    await desk.drain();

    expect((await desk.deadLetters()).items).toEqual([]);
    const [first, second] = items.map(({ id }) => id.split('.')[0]!);
    expect(await desk.deliveries(first!)).toMatchObject([{ state: 'delivered' }]);
    expect(await desk.deliveries(second!)).toEqual([]);
  });

  it('of a run is the stuck run: it is retried, and not discarded', async () => {
    await using opened = await open();
    let isDown = true;
    const model = functionModel(() => {
      if (isDown) throw new Error('overloaded');
      return says('Hello.');
    });
    const agents = { clerk: { agent: new Agent({ model, output }) } };
    const desk = openDesk({ store: opened.store, agents, maxAttempts: 1, onError() {} });
    const runId = await desk.start('clerk', 'Hi');
    await desk.drain();
    const { items } = await desk.deadLetters();
    expect(items).toMatchObject([{ kind: 'run', id: runId, queue: 'clerk', attempts: 1 }]);

    await expect(desk.discardDeadLetter(items[0]!, BY)).rejects.toThrow(UserError);
    isDown = false;
    await desk.replayDeadLetter(items[0]!, BY);
    await desk.drain();
    expect((await desk.run(runId)).state).toBe('finished');
    expect((await desk.deadLetters()).items).toEqual([]);
  });

  it('is deleted at the age of `deadLetters`, with its event', async () => {
    await using opened = await open();
    const desk = openDesk({
      store: opened.store,
      agents: { clerk: { agent: clerk } },
      notify({ kind }) {
        if (kind === 'run-started') throw new Error('The chat is gone.');
      },
      retention: { events: DAY, deadLetters: 30 * DAY },
      onError() {},
    });
    await desk.drain();
    await desk.start('clerk', 'Hi');
    for (let rounds = 0; rounds < 60; rounds++) {
      await desk.drain();
      opened.clock.advance(5 * MINUTE);
    }
    opened.clock.advance(10 * DAY);
    expect(await desk.applyRetention()).toMatchObject({ deadLetters: 0, events: 0 });

    opened.clock.advance(30 * DAY);
    expect(await desk.applyRetention({ dryRun: true })).toMatchObject({ deadLetters: 1 });
    expect(await desk.applyRetention()).toMatchObject({ deadLetters: 1, events: 1 });
    expect((await desk.deadLetters()).items).toEqual([]);
  });
});
