import assert from 'node:assert/strict';
import type { NewOutboxRow } from '../../model/outbox-row.ts';
import { eventCursor } from '../../model/page.ts';
import type { Store } from '../../store/store.ts';
import { insertParentRun } from '../sample-rows.ts';
import { idsOfPages, type StoreChecks, TENANT } from '../store-bench.ts';

function event(id: string, at: number, tenant: string = TENANT): NewOutboxRow {
  return { tenant, id, runId: 'run-1', kind: 'hold-opened', data: { holdId: id }, at };
}

/** Events and their order. */
export const events: StoreChecks = {
  'lists events in the order in which they were added, in pages that fit together': async ({
    store,
  }) => {
    await store.write(async (tx) => {
      for (const tenant of [TENANT, 'another']) await insertParentRun(tx, tenant, 'run-1');
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

    const ids = await idsOfPages((after) =>
      store.read((tx) => tx.outbox.list(TENANT, { limit: 1, after })),
    );
    assert.deepEqual(ids, ['b', 'c', 'a', 'd']);
    assert.equal((await store.read((tx) => tx.outbox.latest(TENANT)))?.id, 'd');
    assert.equal(await store.read((tx) => tx.outbox.isWithholding(TENANT)), false);
    assert.equal(await store.read((tx) => tx.outbox.latest('empty')), undefined);
  },

  'lists every event to a reader that continues after the last one, in any order of commits':
    async (bench) => {
      const [slow, quick] = await bench.handles(2);
      await bench.store.write((tx) => insertParentRun(tx, TENANT, 'run-1'));
      const reader = new Reader(bench.store);
      let markInserted = () => {};
      const inserted = new Promise<void>((resolve) => {
        markInserted = resolve;
      });
      const late = slow!.write(async (tx) => {
        assert.equal(await tx.outbox.insert(event('late', 1)), true);
        markInserted();
        await new Promise((resolve) => setTimeout(resolve, COMMIT_LATE_MS));
      });
      await inserted;

      const early = quick!.write((tx) => tx.outbox.insert(event('early', 2)));
      await Promise.all([early, late, reader.readFor(COMMIT_LATE_MS / 2)]);
      await quick!.write((tx) => tx.outbox.insert(event('last', 0)));
      while (await bench.store.read((tx) => tx.outbox.isWithholding(TENANT))) await reader.read();
      await reader.read();

      const { items } = await bench.store.read((tx) => tx.outbox.list(TENANT, {}));
      assert.deepEqual(
        reader.ids,
        items.map(({ id }) => id),
      );
      assert.deepEqual(reader.ids.toSorted(), ['early', 'last', 'late']);
      assert.equal(reader.ids.at(-1), 'last');
    },
};

/** The duration of a slow transaction, in milliseconds. */
const COMMIT_LATE_MS = 200;

/** Follows the events, always after the last one that it has. */
class Reader {
  readonly ids: string[] = [];
  readonly #store: Store;
  #after: string | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  async read(): Promise<void> {
    const query = { after: this.#after };
    const { items } = await this.#store.read((tx) => tx.outbox.list(TENANT, query));
    for (const one of items) {
      this.ids.push(one.id);
      this.#after = eventCursor(one);
    }
  }

  async readFor(ms: number): Promise<void> {
    const end = performance.now() + ms;
    while (performance.now() < end) {
      await this.read();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
