import assert from 'node:assert/strict';
import type { DeliveryRow } from '../../model/delivery-row.ts';
import type { TokenRow } from '../../model/token-row.ts';
import { insertParentRun } from '../sample-rows.ts';
import { idList, type StoreChecks, TENANT } from '../store-bench.ts';

function sampleToken(fields: Partial<TokenRow> = {}): TokenRow {
  return {
    id: 'hash-1',
    kind: 'session',
    tenant: TENANT,
    about: 'ada',
    personKey: 'ada',
    data: { person: { id: 'ada' }, roles: ['"quoted"'] },
    createdAt: 1_000,
    expiresAt: 2_000,
    ...fields,
  };
}

function sampleDelivery(fields: Partial<DeliveryRow> = {}): DeliveryRow {
  return {
    tenant: TENANT,
    eventId: 'event-1',
    receiver: 'receiver-1',
    host: 'example.com',
    state: 'pending',
    attempts: 0,
    createdAt: 1_000,
    changedAt: 1_000,
    ...fields,
  };
}

/** The events that are delivered. */
const EVENTS = [
  [TENANT, 'event-1'],
  [TENANT, 'event-2'],
  ['other', 'event-1'],
] as const;

/** Tokens of people, and deliveries to receivers. */
export const people: StoreChecks = {
  'keeps tokens by their hash alone, and finds those of a person': async ({ store }) => {
    const used = sampleToken({ id: 'hash-2', createdAt: 900, seenAt: 1, end: 'used', endedAt: 2 });
    await store.write(async (tx) => {
      assert.equal(await tx.tokens.insert(sampleToken()), true);
      assert.equal(await tx.tokens.insert(sampleToken({ tenant: 'other' })), false);
      await tx.tokens.insert(used);
      await tx.tokens.insert(sampleToken({ id: 'hash-3', tenant: 'other' }));
      await tx.tokens.insert(sampleToken({ id: 'hash-4', kind: 'decision-link' }));
      await tx.tokens.insert(sampleToken({ id: 'hash-5', about: 'grace' }));
    });

    const found = await store.read((tx) => tx.tokens.findAbout(TENANT, 'session', 'ada'));
    assert.deepEqual(idList(found), ['hash-2', 'hash-1']);
    assert.deepEqual({ ...found[0] }, used);
    assert.equal((await store.read((tx) => tx.tokens.get('hash-1')))?.tenant, TENANT);
    assert.equal(await store.read((tx) => tx.tokens.get('hash-9')), undefined);
    const links = await store.read((tx) => tx.tokens.findOf(TENANT, 'decision-link', 'ada'));
    assert.deepEqual(idList(links), ['hash-4']);
  },

  'lets one of many transactions use up a token': async ({ store }) => {
    await store.write((tx) => tx.tokens.insert(sampleToken()));

    const taken = await Promise.all(
      Array.from({ length: 8 }, () =>
        store.write(async (tx) => {
          const row = await tx.tokens.lock('hash-1');
          if (row === undefined || row.end !== undefined) return false;
          await tx.tokens.put({ ...row, end: 'used', endedAt: 1 });
          return true;
        }),
      ),
    );

    assert.equal(taken.filter(Boolean).length, 1);
  },

  'removes expired tokens, a few at a time': async ({ store }) => {
    await store.write(async (tx) => {
      for (const expiresAt of [1, 2, 3, 4, 5]) {
        await tx.tokens.insert(sampleToken({ id: `hash-${expiresAt}`, expiresAt }));
      }
    });
    const left = async () =>
      (await store.read((tx) => tx.tokens.findAbout(TENANT, 'session', 'ada'))).length;

    await store.write((tx) => tx.tokens.removeExpired(4, 2));
    assert.equal(await left(), 3);
    await store.write((tx) => tx.tokens.removeExpired(4, 20));
    assert.equal(await left(), 2);
    await store.write((tx) => tx.tokens.removeExpired(4, 20));
    assert.equal(await left(), 2);
  },

  'keeps one delivery for an event and a receiver, and rolls tokens back': async ({ store }) => {
    const tried = sampleDelivery({ attempts: 2, problem: 'Status 500. "\u0000' });
    await store.write(async (tx) => {
      for (const [tenant, id] of EVENTS) {
        await insertParentRun(tx, tenant, 'run-1');
        const event = { tenant, id, runId: 'run-1', kind: 'run-started', at: 1 } as const;
        await tx.outbox.insert({ ...event, data: {} });
      }
      assert.equal(await tx.deliveries.insert(sampleDelivery()), true);
      assert.equal(await tx.deliveries.insert(sampleDelivery({ attempts: 9 })), false);
      await tx.deliveries.insert(sampleDelivery({ receiver: 'receiver-0', state: 'delivered' }));
      await tx.deliveries.insert(sampleDelivery({ eventId: 'event-2' }));
      await tx.deliveries.insert(sampleDelivery({ tenant: 'other' }));
      await tx.deliveries.put(tried);
    });
    await assert.rejects(
      store.write(async (tx) => {
        await tx.tokens.insert(sampleToken());
        await tx.deliveries.remove(TENANT, 'event-1', 'receiver-1');
        throw new Error('no');
      }),
    );

    const found = await store.read((tx) => tx.deliveries.ofEvent(TENANT, 'event-1'));
    assert.deepEqual(
      found.map(({ receiver }) => receiver),
      ['receiver-0', 'receiver-1'],
    );
    assert.deepEqual({ ...found[1] }, tried);
    assert.equal(await store.read((tx) => tx.tokens.get('hash-1')), undefined);
  },
};
