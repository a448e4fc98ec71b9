import assert from 'node:assert/strict';
import type { InputRow } from '../../model/input-row.ts';
import type { Page } from '../../model/page.ts';
import { insertHold, insertInput, sampleHold, sampleInput, sampleRun } from '../sample-rows.ts';
import { idList, idsOfPages, type StoreChecks, TENANT } from '../store-bench.ts';

/** Uniqueness and lists of runs, inputs and holds. */
export const runsAndHolds: StoreChecks = {
  'has one input for an idempotency key of a requester': async ({ store }) => {
    await store.write(async (tx) => {
      const { inputs } = tx;
      const insert = (runId: string, fields: Partial<InputRow>) =>
        insertInput(tx, { runId, ...fields });
      assert.equal(await insert('run-1', { idempotencyKey: 'key' }), true);
      assert.equal(await insert('run-2', { idempotencyKey: 'key' }), false);
      const ofBob = { idempotencyKey: 'key', requesterKey: 'bob' };
      assert.equal(await insert('run-2', ofBob), true);
      assert.equal(await insert('run-3', {}), true);
      assert.equal(await insert('run-4', {}), true);
      assert.equal((await inputs.byIdempotencyKey(TENANT, 'ada', 'key'))?.runId, 'run-1');
      assert.equal((await inputs.byIdempotencyKey(TENANT, 'bob', 'key'))?.runId, 'run-2');
      assert.equal(await inputs.byIdempotencyKey(TENANT, 'eve', 'key'), undefined);
    });
  },

  'keeps the inputs of a run in the order of their numbers': async ({ store }) => {
    await store.write(async (tx) => {
      const { inputs } = tx;
      for (const number of [3, 1, 2]) await insertInput(tx, { number });
      await inputs.put(sampleInput({ number: 1, state: 'delivered', body: undefined }));
      const queued = await inputs.ofRun(TENANT, 'run-1', ['queued']);
      assert.deepEqual(
        queued.map(({ number, body }) => [number, body]),
        [
          [2, '"hello"'],
          [3, '"hello"'],
        ],
      );
      assert.deepEqual(await inputs.ofRun(TENANT, 'run-2', ['queued']), []);
    });
  },

  'has one live run for a conversation': async ({ store }) => {
    const run = (id: string, state: 'ready' | 'finished' | 'stuck' | 'parked' | 'running') =>
      sampleRun({ id, state, conversationId: 'c' });
    await store.write(async (tx) => {
      assert.equal(await tx.runs.insert(run('run-1', 'finished')), true);
      assert.equal(await tx.runs.liveIn(TENANT, 'c'), undefined);
      assert.equal(await tx.runs.insert(run('run-2', 'ready')), true);
      for (const state of ['ready', 'running', 'parked', 'stuck'] as const) {
        await tx.runs.put(run('run-2', state));
        assert.equal(await tx.runs.insert(run('run-3', 'ready')), false);
        assert.equal((await tx.runs.liveIn(TENANT, 'c'))?.id, 'run-2');
      }
      await tx.runs.put(run('run-2', 'finished'));
      assert.equal(await tx.runs.insert(run('run-3', 'ready')), true);
    });
  },

  'finds the latest run of a conversation': async ({ store }) => {
    await store.write(async (tx) => {
      for (const [index, id] of ['a', 'c', 'b'].entries()) {
        const createdAt = 1_000 + index;
        await tx.runs.insert(sampleRun({ id, conversationId: 'c', state: 'finished', createdAt }));
      }
      assert.equal((await tx.runs.latestIn(TENANT, 'c'))?.id, 'b');
      assert.equal(await tx.runs.latestIn(TENANT, 'd'), undefined);
    });
  },

  'lists runs from the latest to the oldest, in pages that fit together': async ({ store }) => {
    await store.write(async (tx) => {
      for (let index = 0; index < 7; index++) {
        const createdAt = 1_000 + Math.floor(index / 3);
        const state = index === 6 ? 'parked' : 'finished';
        await tx.runs.insert(sampleRun({ id: `run-${index}`, createdAt, state }));
      }
    });

    const ids = await idsOfPages((after) =>
      store.read((tx) => tx.runs.list(TENANT, { limit: 2, after })),
    );

    assert.deepEqual(
      ids,
      [6, 5, 4, 3, 2, 1, 0].map((index) => `run-${index}`),
    );
    const parked = await store.read((tx) => tx.runs.list(TENANT, { states: ['parked'] }));
    assert.deepEqual(idList(parked.items), ['run-6']);
  },

  'lists holds by age, in pages that fit together': async ({ store }) => {
    const order = [
      { createdAt: 1_000, runId: 'b', callIndex: 0, id: 'z' },
      { createdAt: 1_000, runId: 'b', callIndex: 1, id: 'a' },
      { createdAt: 1_000, runId: 'c', callIndex: 0, id: 'm' },
      { createdAt: 1_001, runId: 'a', callIndex: 0, id: 'b' },
    ];
    await store.write(async (tx) => {
      for (const fields of order.toReversed()) await insertHold(tx, fields);
      await insertHold(tx, { id: 'gone', state: 'consumed' });
    });

    const ids = await idsOfPages((after) =>
      store.read((tx) => tx.holds.list(TENANT, { states: ['open'], limit: 1, after })),
    );

    assert.deepEqual(ids, ['z', 'a', 'm', 'b']);
  },

  'finds runs and holds by the first characters of their ids': async ({ store }) => {
    await store.write(async (tx) => {
      for (const id of ['ab10', 'ab1f', 'ab2', 'b1']) {
        await tx.runs.insert(sampleRun({ id }));
        await insertHold(tx, { id, state: id === 'ab1f' ? 'decided' : 'open' });
      }
    });
    const idsOf = async (list: 'runs' | 'holds', query: object) => {
      const { items } = await store.read<Page<{ readonly id: string }>>((tx) =>
        tx[list].list(TENANT, query),
      );
      return items.map(({ id }) => id).toSorted();
    };

    assert.deepEqual(await idsOf('runs', { idPrefix: 'ab1' }), ['ab10', 'ab1f']);
    assert.deepEqual(await idsOf('holds', { idPrefix: 'ab1' }), ['ab10', 'ab1f']);
    assert.deepEqual(await idsOf('holds', { idPrefix: 'ab1', states: ['open'] }), ['ab10']);
    assert.deepEqual(await idsOf('holds', { idPrefix: 'ab10' }), ['ab10']);
    assert.deepEqual(await idsOf('holds', { idPrefix: 'ff' }), []);
    await assert.rejects(idsOf('runs', { idPrefix: '%' }), /idPrefix/);
    await assert.rejects(idsOf('holds', { idPrefix: 'AB' }), /idPrefix/);
  },

  'finds holds by run, conversation, state and the beginnings of words': async ({ store }) => {
    await store.write(async (tx) => {
      await insertHold(tx, { id: 'a', searchText: 'pay 100% to ada_x' });
      await insertHold(tx, { id: 'b', runId: 'r', callIndex: 2, searchText: 'pay bob' });
      await insertHold(tx, { id: 'c', runId: 'r', callIndex: 1, state: 'decided' });
      await insertHold(tx, { id: 'd', conversationId: 'c' });
    });
    const idsOf = async (query: object) => {
      const { items } = await store.read((tx) => tx.holds.list(TENANT, query));
      return items.map(({ id }) => id).toSorted();
    };

    assert.deepEqual(await idsOf({ runId: 'r' }), ['b', 'c']);
    assert.deepEqual(await idsOf({ conversationId: 'c' }), ['d']);
    assert.deepEqual(await idsOf({ states: ['decided', 'expired'] }), ['c']);
    assert.deepEqual(await idsOf({ states: [] }), []);
    assert.deepEqual(await idsOf({ text: 'PAY' }), ['a', 'b']);
    assert.deepEqual(await idsOf({ text: '10% pa' }), ['a']);
    assert.deepEqual(await idsOf({ text: 'ada_x' }), ['a']);
    assert.deepEqual(await idsOf({ text: 'bob ada' }), []);
    assert.deepEqual(await idsOf({ text: "ob' | 'pay" }), []);
    assert.deepEqual(await idsOf({ text: '%' }), []);
    const ofRun = await store.read((tx) => tx.holds.ofRun(TENANT, 'r', ['open', 'decided']));
    assert.deepEqual(idList(ofRun), ['c', 'b']);
  },

  'finds holds by tool, agent, requester and age': async ({ store }) => {
    await store.write(async (tx) => {
      await insertHold(tx, { id: 'a', toolName: 'pay', createdAt: 1 });
      await insertHold(tx, { id: 'b', agent: 'clerk', requester: { id: 'Ada' }, createdAt: 2 });
      await insertHold(tx, { id: 'c', requester: { id: 'mel' }, createdAt: 3 });
    });
    const idsOf = async (query: object) => {
      const { items } = await store.read((tx) => tx.holds.list(TENANT, query));
      return items.map(({ id }) => id);
    };

    assert.deepEqual(await idsOf({ tool: 'pay' }), ['a']);
    assert.deepEqual(await idsOf({ agent: 'clerk' }), ['b']);
    assert.deepEqual(await idsOf({ requester: 'ADA' }), ['b']);
    assert.deepEqual(await idsOf({ createdAfter: 1, createdBefore: 3 }), ['b']);
    assert.deepEqual(await idsOf({ states: ['open'], tool: 'pay', agent: 'clerk' }), []);
  },

  'rejects rows without the rows that they refer to, and unknown states': async ({ store }) => {
    await assert.rejects(store.write((tx) => tx.holds.insert(sampleHold())));
    await assert.rejects(store.write((tx) => tx.inputs.insert(sampleInput())));
    // A program without types may pass any state.
    const state = 'lost' as 'open';
    await assert.rejects(store.write((tx) => insertHold(tx, { state })));
    assert.deepEqual(await store.read((tx) => tx.holds.list(TENANT, {})), { items: [] });
  },
};
