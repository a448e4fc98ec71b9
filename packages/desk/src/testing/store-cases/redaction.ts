import assert from 'node:assert/strict';
import { insertHold, sampleHold, sampleRun } from '../sample-rows.ts';
import { idList, type StoreChecks, TENANT } from '../store-bench.ts';

/** Redacted values, and the redaction rules under which rows were written. */
export const redaction: StoreChecks = {
  'stores each secret of a conversation once': async ({ store }) => {
    const secret = { tenant: TENANT, conversationId: 'c', id: 'hash', value: 'a\u0000 secret' };
    await store.write(async (tx) => {
      assert.equal(await tx.secrets.insert(secret), true);
      assert.equal(await tx.secrets.insert(secret), false);
      assert.equal(await tx.secrets.insert({ ...secret, conversationId: 'd' }), true);
      assert.equal(await tx.secrets.insert({ ...secret, tenant: 'other' }), true);
      assert.deepEqual(await tx.secrets.ofConversations(TENANT, ['c']), [secret]);
      assert.equal((await tx.secrets.ofConversations(TENANT, ['c', 'd', 'e'])).length, 2);
      assert.deepEqual(await tx.secrets.ofConversations(TENANT, []), []);
    });
  },

  'finds runs by their ids': async ({ store }) => {
    await store.write(async (tx) => {
      for (const id of ['a', 'b', 'c']) await tx.runs.insert(sampleRun({ id }));
      const found = await tx.runs.withIds(TENANT, ['c', 'a', 'missing']);
      assert.deepEqual(found.map(({ id }) => id).toSorted(), ['a', 'c']);
      assert.deepEqual(await tx.runs.withIds('other', ['a']), []);
      assert.deepEqual(await tx.runs.withIds(TENANT, []), []);
    });
  },

  'finds conversations with runs and holds of other redaction rules': async ({ store }) => {
    const run = (id: string, redactionRules?: string) =>
      sampleRun({ id, conversationId: `c-${id}`, redactionRules });
    const hold = (id: string, redactionRules: string, tenant = TENANT) =>
      sampleHold({ id, tenant, conversationId: `c-${id}`, redactionRules });
    await store.write(async (tx) => {
      // A run without steps has nothing to redact.
      for (const one of [run('a', 'old'), run('b', 'new'), run('c')]) await tx.runs.insert(one);
      const ids = ['c-a', 'c-b', 'c-c'];
      assert.deepEqual(await tx.runs.underOtherRules(TENANT, ids, 'new'), ['c-a']);
      assert.deepEqual(await tx.runs.underOtherRules('other', ids, 'new'), []);

      const holds = [hold('x', 'old'), hold('y', 'new'), hold('z', ''), hold('x', 'old', 'other')];
      for (const one of holds) await insertHold(tx, one);
      const found = await tx.holds.underOtherRules('new', { limit: 10 });
      assert.equal(found.length, 3);
      const first = await tx.holds.underOtherRules('new', { limit: 2 });
      const rest = await tx.holds.underOtherRules('new', { after: first.at(-1), limit: 2 });
      assert.deepEqual([...first, ...rest], found);
    });
  },

  'lists holds whose search text was written under certain rules': async ({ store }) => {
    await store.write(async (tx) => {
      await insertHold(tx, { id: 'a', redactionRules: 'old' });
      await insertHold(tx, { id: 'b', redactionRules: 'new' });
      const found = await tx.holds.list(TENANT, { text: 'tool', redactionRules: 'new' });
      assert.deepEqual(idList(found.items), ['b']);
    });
  },
};
