import assert from 'node:assert/strict';
import type { OutboxRow } from '../../model/outbox-row.ts';
import { type StoreChecks, TENANT } from '../store-bench.ts';

function event(id: string, at: number, tenant: string = TENANT): OutboxRow {
  return { tenant, id, runId: 'run-1', kind: 'hold-opened', data: { holdId: id }, at };
}

/** What has happened, in order. */
export const events: StoreChecks = {
  'lists events in the order of their times, in pages that fit together': async ({ store }) => {
    await store.write(async (tx) => {
      for (const [id, at] of [
        ['b', 2],
        ['c', 1],
        ['a', 2],
        ['d', 3],
      ] as const) {
        assert.equal(await tx.outbox.insert(event(id, at)), true);
      }
      assert.equal(await tx.outbox.insert(event('z', 9, 'another')), true);
    });

    const ids: string[] = [];
    for (let after: string | undefined, pages = 0; pages === 0 || after; pages++) {
      const page = await store.read((tx) => tx.outbox.list(TENANT, { limit: 1, after }));
      ids.push(...page.items.map(({ id }) => id));
      after = page.next;
    }
    assert.deepEqual(ids, ['c', 'a', 'b', 'd']);
    assert.deepEqual(await store.read((tx) => tx.outbox.latest(TENANT)), event('d', 3));
    assert.equal(await store.read((tx) => tx.outbox.latest('nobody')), undefined);
  },
};
