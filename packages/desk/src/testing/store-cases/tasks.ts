import assert from 'node:assert/strict';
import type { ClaimOptions, TaskClaim } from '../../model/task-row.ts';
import { sampleRun, sampleTask } from '../sample-rows.ts';
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
        handles[index % handles.length]!.write((tx) => tx.tasks.claim(['run'], LONG), {
          about: 'tasks',
        }),
      ),
    );

    // A worker that finds all candidates locked gets nothing and tries again.
    const taken = claims.filter((claim) => claim !== undefined);
    for (let claim: TaskClaim | undefined; taken.length < 20; taken.push(claim)) {
      claim = await bench.store.write((tx) => tx.tasks.claim(['run'], LONG), { about: 'tasks' });
      assert.ok(claim !== undefined, 'a task was lost');
    }
    assert.equal(new Set(taken.map(({ id }) => id)).size, 20);
    assert.equal(
      await bench.store.write((tx) => tx.tasks.claim(['run'], LONG), { about: 'tasks' }),
      undefined,
    );
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
    const claim = () =>
      bench.store.write((tx) => tx.tasks.claim(['expiry', 'run'], LONG), { about: 'tasks' });

    assert.equal((await claim())?.id, 'first');
    assert.equal((await claim())?.id, 'later');
    assert.equal(await claim(), undefined);
  },

  'claims for the next tenant, without runs of excluded tenants, and stores the worker': async (
    bench,
  ) => {
    const now = await bench.now();
    await bench.store.write(async (tx) => {
      for (const id of ['1', '2', '3'])
        await tx.tasks.insert(sampleTask({ tenant: 'a', id, due: now - 9 }));
      await tx.tasks.insert(sampleTask({ tenant: 'b', due: now - 5 }));
      await tx.tasks.insert(sampleTask({ tenant: 'c', due: now - 1 }));
    });
    const claim = async (options: ClaimOptions) => {
      const claimed = await bench.store.write(
        (tx) => tx.tasks.claim(['run'], LONG, undefined, undefined, { worker: 'w', ...options }),
        { about: 'tasks' },
      );
      return claimed?.tenant;
    };

    assert.equal(await claim({ afterTenants: { run: 'a' } }), 'b');
    assert.equal(await claim({ afterTenants: { run: 'c' } }), 'a');
    assert.equal(await claim({ afterTenants: { run: 'b' }, withoutRunsOf: ['c'] }), 'a');
    assert.equal(await claim({ withoutRunsOf: ['a', 'c'] }), undefined);
    assert.equal(await claim({ withoutRunsOf: ['a'] }), 'c');
    assert.equal(await claim({}), 'a');
    const task = await bench.store.read((tx) => tx.tasks.get('b', 'run', 'run-1'));
    assert.equal(task?.claimedBy, 'w');
  },

  'claims tasks of several kinds for workers of which some claim for the next tenant': async (
    bench,
  ) => {
    const now = await bench.now();
    await bench.store.write(async (tx) => {
      for (let index = 0; index < 8; index++) {
        await tx.tasks.insert(sampleTask({ kind: 'outbox', id: `${index}`, due: now - 9 }));
        await tx.tasks.insert(sampleTask({ id: `${index}`, due: now - 5 }));
      }
    });
    const claims: TaskClaim[] = [];
    while (claims.length < 16) {
      const claimed = await Promise.all(
        [{}, { afterTenants: { run: 'a' } }, {}].map((options) =>
          bench.store.write(
            (tx) => tx.tasks.claim(['outbox', 'run'], LONG, undefined, undefined, options),
            { about: 'tasks' },
          ),
        ),
      );
      claims.push(...claimed.filter((claim) => claim !== undefined));
      assert.ok(claimed.some(Boolean), 'a task was lost');
    }

    assert.equal(new Set(claims.map(({ kind, id }) => `${kind} ${id}`)).size, 16);
  },

  'claims for the next tenant only for workers that demand it, at the same time': async (bench) => {
    const now = await bench.now();
    await bench.store.write(async (tx) => {
      for (let index = 0; index < 8; index++) {
        for (const [age, tenant] of ['c', 'b', 'a'].entries())
          await tx.tasks.insert(sampleTask({ tenant, id: `${index}`, due: now - 9 + age }));
      }
    });
    const turn = { afterTenants: { run: 'a', outbox: 'b' } };

    const claims = await Promise.all(
      [{}, turn, {}, turn, {}].map((options) =>
        bench.store.write((tx) => tx.tasks.claim(['run'], LONG, undefined, {}, options), {
          about: 'tasks',
        }),
      ),
    );

    assert.deepEqual(
      claims.map((claim) => claim?.tenant),
      ['c', 'b', 'c', 'b', 'c'],
    );
  },

  'lists tasks that were given up, by tenant and by age': async (bench) => {
    await bench.store.write(async (tx) => {
      await tx.tasks.insert(sampleTask({ due: undefined, givenUpAt: 7, problem: 'Down.' }));
      await tx.tasks.insert(sampleTask({ kind: 'outbox', due: undefined, givenUpAt: 5 }));
      await tx.tasks.insert(sampleTask({ tenant: 'other', due: undefined, givenUpAt: 6 }));
      await tx.tasks.insert(sampleTask({ id: 'due' }));
    });

    await bench.store.read(async (tx) => {
      const first = await tx.tasks.givenUp(TENANT, { limit: 1 });
      const second = await tx.tasks.givenUp(TENANT, { after: first.next });
      assert.deepEqual(
        [...first.items, ...second.items].map(({ kind, problem }) => [kind, problem]),
        [
          ['outbox', undefined],
          ['run', 'Down.'],
        ],
      );
      assert.equal((await tx.tasks.givenUpBefore(7, ['run', 'outbox'], 9)).length, 2);
    });
  },

  'lets a worker claim a task with a higher fence after its lease expired': async (bench) => {
    const { store } = bench;
    const due = await bench.now();
    await store.write((tx) => tx.tasks.insert(sampleTask({ due })));
    const claim = () => store.write((tx) => tx.tasks.claim(['run'], SHORT), { about: 'tasks' });

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
    await store.write((tx) => tx.tasks.claim(['run'], SHORT), { about: 'tasks' });
    await store.write(async (tx) => {
      const task = await tx.tasks.lock(TENANT, 'run', 'run-1');
      assert.ok(task !== undefined);
      await tx.tasks.put({ ...task, due: (await tx.now()) + LONG });
    });
    await bench.pass(SHORT * 1.5);

    assert.equal(
      await store.write((tx) => tx.tasks.claim(['run'], SHORT), { about: 'tasks' }),
      undefined,
    );
  },

  'claims the task with a given key, if it is due': async (bench) => {
    const due = await bench.now();
    await bench.store.write(async (tx) => {
      await tx.tasks.insert(sampleTask({ id: 'a', due }));
      await tx.tasks.insert(sampleTask({ id: 'b', due }));
      await tx.tasks.insert(sampleTask({ id: 'b', tenant: 'other', due }));
    });
    const claim = (id: string) =>
      bench.store.write((tx) => tx.tasks.claim(['run'], LONG, [TENANT, 'run', id]), {
        about: 'tasks',
      });

    assert.equal((await claim('b'))?.tenant, TENANT);
    assert.equal(await claim('b'), undefined);
    assert.equal(await claim('c'), undefined);
  },

  'lets a worker take over only the running run that it claimed last': async (bench) => {
    const { store } = bench;
    const due = await bench.now();
    await store.write(async (tx) => {
      await tx.runs.insert(sampleRun({ state: 'ready' }));
      await tx.tasks.insert(sampleTask({ due }));
    });
    const key = [TENANT, 'run', 'run-1'] as const;
    const claim = (worker: string, takesOver = true) =>
      store.write((tx) => tx.tasks.claim(['run'], LONG, key, {}, { worker, takesOver }), {
        about: 'tasks',
      });

    assert.equal((await claim('a'))?.fence, 1);
    assert.equal(await claim('b'), undefined);
    assert.equal(await claim('a', false), undefined);
    assert.equal((await claim('a'))?.fence, 2);
    await store.write(async (tx) => {
      const run = await tx.runs.lock(TENANT, 'run-1');
      assert.ok(run !== undefined);
      await tx.runs.put({ ...run, state: 'ready' });
    });
    assert.equal(await claim('a'), undefined, 'a run that waits for its next attempt is not taken');
  },

  'returns overdue tasks of the given kinds and queues, the ones due for longest first': async (
    bench,
  ) => {
    const now = await bench.now();
    await bench.store.write(async (tx) => {
      await tx.tasks.insert(sampleTask({ id: 'b', queue: 'agent', due: now - 20 }));
      await tx.tasks.insert(sampleTask({ id: 'a', queue: 'agent', due: now - 30 }));
      await tx.tasks.insert(sampleTask({ id: 'other', queue: 'other', due: now - 40 }));
      await tx.tasks.insert(sampleTask({ id: 'new', queue: 'agent', due: now }));
      await tx.tasks.insert(sampleTask({ id: 'never', queue: 'agent', due: undefined }));
      await tx.tasks.insert(sampleTask({ id: 'e', kind: 'expiry', due: now - 25 }));
      await tx.tasks.insert(sampleTask({ id: 'o', kind: 'outbox', due: now - 25 }));
    });
    const overdue = async (limit: number) => {
      const queues = { run: ['agent'] };
      const rows = await bench.store.read((tx) =>
        tx.tasks.overdue(now - 10, ['run', 'expiry'], queues, limit),
      );
      return rows.map(({ id }) => id);
    };

    assert.deepEqual(await overdue(10), ['a', 'e', 'b']);
    assert.deepEqual(await overdue(2), ['a', 'e']);
  },
};
