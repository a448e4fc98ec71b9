import assert from 'node:assert/strict';
import type { TaskClaim } from '../../model/task-row.ts';
import { sampleTask } from '../sample-rows.ts';
import { LONG, SHORT, type StoreChecks, TENANT } from '../store-bench.ts';

/** Claims of tasks. */
export const tasks: StoreChecks = {
  'lets one of many workers claim each task, through several handles': async (bench) => {
    const due = await bench.now();
    await bench.store.write(async (tx) => {
      for (let index = 0; index < 20; index++) {
        await tx.tasks.insert(sampleTask({ id: `run-${index}`, due }));
      }
    });
    const handles = await bench.handles(4);

    const claims = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        handles[index % handles.length]!.write((tx) => tx.tasks.claim(['run'], LONG)),
      ),
    );

    // A worker that finds all candidates locked gets nothing and tries again.
    const taken = claims.filter((claim) => claim !== undefined);
    for (let claim: TaskClaim | undefined; taken.length < 20; taken.push(claim)) {
      claim = await bench.store.write((tx) => tx.tasks.claim(['run'], LONG));
      assert.ok(claim !== undefined, 'a task was lost');
    }
    assert.equal(new Set(taken.map(({ id }) => id)).size, 20);
    assert.equal(await bench.store.write((tx) => tx.tasks.claim(['run'], LONG)), undefined);
  },

  'claims the task of the given kinds that has been due for the longest time': async (bench) => {
    const now = await bench.now();
    await bench.store.write(async (tx) => {
      await tx.tasks.insert(sampleTask({ id: 'later', due: now - 1 }));
      await tx.tasks.insert(sampleTask({ id: 'first', due: now - 2 }));
      await tx.tasks.insert(sampleTask({ id: 'other', kind: 'outbox', due: now - 3 }));
      await tx.tasks.insert(sampleTask({ id: 'future', due: now + LONG }));
      await tx.tasks.insert(sampleTask({ id: 'never', due: undefined }));
    });
    const claim = () => bench.store.write((tx) => tx.tasks.claim(['expiry', 'run'], LONG));

    assert.equal((await claim())?.id, 'first');
    assert.equal((await claim())?.id, 'later');
    assert.equal(await claim(), undefined);
  },

  'lets a worker claim a task with a higher fence after its lease expired': async (bench) => {
    const { store } = bench;
    const due = await bench.now();
    await store.write((tx) => tx.tasks.insert(sampleTask({ due })));
    const claim = () => store.write((tx) => tx.tasks.claim(['run'], SHORT));

    const first = await claim();
    assert.deepEqual(
      { ...first },
      { tenant: TENANT, kind: 'run', id: 'run-1', fence: 1, attempts: 1 },
    );
    await bench.pass(SHORT * 1.5);
    const before = await bench.now();
    const second = await claim();

    assert.deepEqual({ ...second }, { ...first, fence: 2, attempts: 2 });
    const task = await store.read((tx) => tx.tasks.get(TENANT, 'run', 'run-1'));
    assert.ok(task?.due !== undefined && task.due >= before + SHORT);
  },

  'lets no worker claim a task whose lease was extended': async (bench) => {
    const { store } = bench;
    const due = await bench.now();
    await store.write((tx) => tx.tasks.insert(sampleTask({ due })));
    await store.write((tx) => tx.tasks.claim(['run'], SHORT));
    await store.write(async (tx) => {
      const task = await tx.tasks.lock(TENANT, 'run', 'run-1');
      assert.ok(task !== undefined);
      await tx.tasks.put({ ...task, due: (await tx.now()) + LONG });
    });
    await bench.pass(SHORT * 1.5);

    assert.equal(await store.write((tx) => tx.tasks.claim(['run'], SHORT)), undefined);
  },

  'claims the task with a given key, if it is due': async (bench) => {
    const due = await bench.now();
    await bench.store.write(async (tx) => {
      await tx.tasks.insert(sampleTask({ id: 'a', due }));
      await tx.tasks.insert(sampleTask({ id: 'b', due }));
      await tx.tasks.insert(sampleTask({ id: 'b', tenant: 'other', due }));
    });
    const claim = (id: string) =>
      bench.store.write((tx) => tx.tasks.claim(['run'], LONG, [TENANT, 'run', id]));

    assert.equal((await claim('b'))?.tenant, TENANT);
    assert.equal(await claim('b'), undefined);
    assert.equal(await claim('c'), undefined);
  },
};
