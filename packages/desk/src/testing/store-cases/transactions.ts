import assert from 'node:assert/strict';
import type { StoreChange } from '../../store/store-change.ts';
import {
  insertHold,
  insertInput,
  insertParentRun,
  sampleMessage,
  sampleRun,
  sampleTask,
} from '../sample-rows.ts';
import { expectOne, LONG, type StoreChecks, TENANT } from '../store-bench.ts';

/** Atomic and isolated transactions, and notifications after them. */
export const transactions: StoreChecks = {
  'keeps every change of a committed transaction': async ({ store }) => {
    const result = await store.write(async (tx) => {
      await tx.runs.insert(sampleRun());
      await insertHold(tx);
      return 'done';
    });

    assert.equal(result, 'done');
    const [run, hold] = await store.read(async (tx) => [
      await tx.runs.get(TENANT, 'run-1'),
      await tx.holds.get(TENANT, 'hold-1'),
    ]);
    assert.equal(run?.id, 'run-1');
    assert.equal(hold?.id, 'hold-1');
  },

  'keeps no change of a transaction that threw': async ({ store }) => {
    await store.write(async (tx) => {
      await tx.runs.insert(sampleRun());
      await tx.tasks.insert(sampleTask());
      await tx.messages.replaceFrom(TENANT, 'c', 0, [sampleMessage(0), sampleMessage(1)]);
    });

    const failed = store.write(async (tx) => {
      await tx.runs.put(sampleRun({ state: 'running' }));
      await insertInput(tx, { idempotencyKey: 'key' });
      await tx.runs.insert(sampleRun({ id: 'run-2' }));
      await tx.tasks.remove(TENANT, 'run', 'run-1');
      await tx.messages.replaceFrom(TENANT, 'c', 1, []);
      throw new Error('no');
    });

    await assert.rejects(failed, /^Error: no$/);
    await store.write(async (tx) => {
      assert.equal((await tx.runs.get(TENANT, 'run-1'))?.state, 'ready');
      assert.equal(await tx.runs.get(TENANT, 'run-2'), undefined);
      assert.equal(await tx.inputs.byIdempotencyKey(TENANT, 'ada', 'key'), undefined);
      assert.equal((await tx.tasks.get(TENANT, 'run', 'run-1'))?.due, 1_000);
      assert.equal(await tx.messages.count(TENANT, 'c'), 2);
    });
  },

  'accepts transactions after one that threw': async ({ store }) => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        store.write(async (tx) => {
          await tx.runs.insert(sampleRun({ id: `run-${index}` }));
          if (index % 2 === 0) throw new Error('no');
        }),
      ),
    );

    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 5);
    const { items } = await store.read((tx) => tx.runs.list(TENANT, {}));
    assert.equal(items.length, 5);
  },

  'loses no change of transactions that lock the row first, through several handles': async (
    bench,
  ) => {
    await bench.store.write((tx) => tx.runs.insert(sampleRun()));
    const handles = await bench.handles(4);

    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        handles[index % handles.length]!.write(async (tx) => {
          const run = await tx.runs.lock(TENANT, 'run-1');
          assert.ok(run !== undefined);
          await tx.runs.put({ ...run, parks: run.parks + 1 });
        }),
      ),
    );

    const run = await bench.store.read((tx) => tx.runs.get(TENANT, 'run-1'));
    assert.equal(run?.parks, 40);
  },

  'lets one of many transactions insert a row, through several handles': async (bench) => {
    const handles = await bench.handles(4);

    const added = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        handles[index % handles.length]!.write((tx) =>
          tx.entries.insert({
            tenant: TENANT,
            key: 'key',
            state: 'claimed',
            attempt: `attempt-${index}`,
            changedAt: 1,
          }),
        ),
      ),
    );

    expectOne(added, (isAdded) => isAdded);
    const entry = await bench.store.read((tx) => tx.entries.get(TENANT, 'key'));
    assert.equal(entry?.attempt, `attempt-${added.indexOf(true)}`);
  },

  'shows a committed row through every handle': async (bench) => {
    const [first, second] = await bench.handles(2);
    await first!.write((tx) => tx.runs.insert(sampleRun()));

    const run = await second!.read((tx) => tx.runs.get(TENANT, 'run-1'));

    assert.equal(run?.id, 'run-1');
  },

  'notifies a listener of a due task until it unsubscribes': async ({ store }) => {
    let count = 0;
    let stop = () => {};
    // A database may notify a little later.
    const notified = new Promise<void>((resolve) => {
      stop = store.onDue(() => {
        count += 1;
        resolve();
      });
    });

    await store.write((tx) => tx.tasks.insert(sampleTask()));
    await notified;
    stop();
    const before = count;
    await store.write((tx) => tx.tasks.insert(sampleTask({ id: 'run-2' })));

    assert.equal(count, before);
  },

  'notifies of due tasks, of events by their tenant and of revoked tasks, and not of heartbeats':
    async ({ store }) => {
      const changes: StoreChange[] = [];
      await store.write(async (tx) => {
        await tx.tasks.insert(sampleTask({ due: (await tx.now()) + LONG }));
        await insertParentRun(tx, 'other', 'r');
      });
      const stop = store.onDue((change) => changes.push(change));

      await store.write(async (tx) => {
        await tx.tasks.put(sampleTask({ due: (await tx.now()) + 2 * LONG }));
      });
      await store.write((tx) => tx.runs.insert(sampleRun()));
      const event = { tenant: 'other', id: 'e', runId: 'r', kind: 'run-started', at: 1 } as const;
      await store.write((tx) => tx.outbox.insert({ ...event, data: {} }));
      await store.write((tx) => tx.tasks.revoke(TENANT, 'run', 'run-1'));
      await store.write(async (tx) => {
        await tx.tasks.insert(sampleTask({ due: await tx.now() }));
      });
      stop();

      // A store may also notify that anything may have changed.
      const known = changes.filter(({ tenants }) => tenants !== 'all');
      assert.deepEqual(known, [
        { hasDueTask: false, tenants: ['other'], revoked: [] },
        { hasDueTask: false, tenants: [], revoked: [[TENANT, 'run', 'run-1']] },
        { hasDueTask: true, tenants: [], revoked: [] },
      ]);
    },

  'moves the time since which the ledger is complete only forward': async (bench) => {
    const { store } = bench;
    const since = () => store.read((tx) => tx.ledgerKnowsSince());
    const now = await bench.now();
    assert.ok((await since()) <= now);

    await store.markRestoredFromBackup(now + 1_000);
    await store.markRestoredFromBackup(now);

    assert.equal(await since(), now + 1_000);
  },
};
