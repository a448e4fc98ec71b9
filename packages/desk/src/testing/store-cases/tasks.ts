import assert from 'node:assert/strict';
import type { TaskClaim } from '../../model/task-row.ts';
import { sampleTask } from '../sample-rows.ts';
import { LONG, SHORT, type StoreChecks, TENANT } from '../store-bench.ts';

/** Work is found and taken. */
export const tasks: StoreChecks = {
  'gives each task to one of many who claim at once, through several handles': async (bench) => {
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

    // Those who come while others hold a lock may find nothing, and look again.
    const taken = claims.filter((claim) => claim !== undefined);
    for (let claim: TaskClaim | undefined; taken.length < 20; taken.push(claim)) {
      claim = await bench.store.write((tx) => tx.tasks.claim(['run'], LONG));
      assert.ok(claim !== undefined, 'a task was lost');
    }
    assert.equal(new Set(taken.map(({ id }) => id)).size, 20);
    assert.equal(await bench.store.write((tx) => tx.tasks.claim(['run'], LONG)), undefined);
  },

  'gives the task that has waited longest, of the kinds that are wanted': async (bench) => {
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

  'gives a task again when its lease is over, with a higher fence': async (bench) => {
    const { store } = bench;
    const due = await bench.now();
    await store.write((tx) => tx.tasks.insert(sampleTask({ due })));
    const claim = () => store.write((tx) => tx.tasks.claim(['run'], SHORT));

    const first = await claim();
    assert.deepEqual(
      { ...first },
      { tenant: TENANT, kind: 'run', id: 'run-1', fence: 1, tries: 1 },
    );
    await bench.pass(SHORT * 1.5);
    const before = await bench.now();
    const second = await claim();

    assert.deepEqual({ ...second }, { ...first, fence: 2, tries: 2 });
    const task = await store.read((tx) => tx.tasks.get(TENANT, 'run', 'run-1'));
    assert.ok(task?.due !== undefined && task.due >= before + SHORT);
  },

  'does not give a task whose lease was set anew': async (bench) => {
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

  'gives one task that is named, if it is due': async (bench) => {
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
