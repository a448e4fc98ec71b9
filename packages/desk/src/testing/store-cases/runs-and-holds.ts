import assert from 'node:assert/strict';
import type { InputRow } from '../../model/input-row.ts';
import type { Page } from '../../model/page.ts';
import { sampleHold, sampleInput, sampleRun } from '../sample-rows.ts';
import { type StoreChecks, TENANT } from '../store-bench.ts';

/** What is unique, and what is listed. */
export const runsAndHolds: StoreChecks = {
  'has one input for an idempotency key of a requester': async ({ store }) => {
    const input = (runId: string, fields: Partial<InputRow>) => sampleInput({ runId, ...fields });
    await store.write(async (tx) => {
      const { inputs } = tx;
      assert.equal(await inputs.insert(input('run-1', { idempotencyKey: 'key' })), true);
      assert.equal(await inputs.insert(input('run-2', { idempotencyKey: 'key' })), false);
      const ofBob = { idempotencyKey: 'key', requesterKey: 'bob' };
      assert.equal(await inputs.insert(input('run-2', ofBob)), true);
      assert.equal(await inputs.insert(input('run-3', {})), true);
      assert.equal(await inputs.insert(input('run-4', {})), true);
      assert.equal((await inputs.byIdempotencyKey(TENANT, 'ada', 'key'))?.runId, 'run-1');
      assert.equal((await inputs.byIdempotencyKey(TENANT, 'bob', 'key'))?.runId, 'run-2');
      assert.equal(await inputs.byIdempotencyKey(TENANT, 'eve', 'key'), undefined);
    });
  },

  'keeps the inputs of a run in the order of their numbers': async ({ store }) => {
    await store.write(async ({ inputs }) => {
      for (const number of [3, 1, 2]) await inputs.insert(sampleInput({ number }));
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

  'knows the latest run of a conversation': async ({ store }) => {
    await store.write(async (tx) => {
      for (const [index, id] of ['a', 'c', 'b'].entries()) {
        const createdAt = 1_000 + index;
        await tx.runs.insert(sampleRun({ id, conversationId: 'c', state: 'finished', createdAt }));
      }
      assert.equal((await tx.runs.latestIn(TENANT, 'c'))?.id, 'b');
      assert.equal(await tx.runs.latestIn(TENANT, 'd'), undefined);
    });
  },

  'lists runs from the latest on, in pages that fit together': async ({ store }) => {
    await store.write(async (tx) => {
      for (let index = 0; index < 7; index++) {
        const createdAt = 1_000 + Math.floor(index / 3);
        const state = index === 6 ? 'parked' : 'finished';
        await tx.runs.insert(sampleRun({ id: `run-${index}`, createdAt, state }));
      }
    });

    const ids: string[] = [];
    for (let after: string | undefined, pages = 0; pages === 0 || after; pages++) {
      const page = await store.read((tx) => tx.runs.list(TENANT, { limit: 2, after }));
      ids.push(...page.items.map(({ id }) => id));
      after = page.next;
    }

    assert.deepEqual(
      ids,
      [6, 5, 4, 3, 2, 1, 0].map((index) => `run-${index}`),
    );
    const parked = await store.read((tx) => tx.runs.list(TENANT, { states: ['parked'] }));
    assert.deepEqual(
      parked.items.map(({ id }) => id),
      ['run-6'],
    );
  },

  'lists holds as they came to wait, in pages that fit together': async ({ store }) => {
    const order = [
      { createdAt: 1_000, runId: 'b', place: 0, id: 'z' },
      { createdAt: 1_000, runId: 'b', place: 1, id: 'a' },
      { createdAt: 1_000, runId: 'c', place: 0, id: 'm' },
      { createdAt: 1_001, runId: 'a', place: 0, id: 'b' },
    ];
    await store.write(async (tx) => {
      for (const fields of order.toReversed()) await tx.holds.insert(sampleHold(fields));
      await tx.holds.insert(sampleHold({ id: 'gone', state: 'consumed' }));
    });

    const ids: string[] = [];
    for (let after: string | undefined, pages = 0; pages === 0 || after; pages++) {
      const query = { states: ['open'], limit: 1, after } as const;
      const page = await store.read((tx) => tx.holds.list(TENANT, query));
      ids.push(...page.items.map(({ id }) => id));
      after = page.next;
    }

    assert.deepEqual(ids, ['z', 'a', 'm', 'b']);
  },

  'finds runs and holds by the first characters of their ids': async ({ store }) => {
    await store.write(async (tx) => {
      for (const id of ['ab10', 'ab1f', 'ab2', 'b1']) {
        await tx.runs.insert(sampleRun({ id }));
        await tx.holds.insert(sampleHold({ id, state: id === 'ab1f' ? 'decided' : 'open' }));
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

  'finds holds by run, conversation, state and text': async ({ store }) => {
    await store.write(async (tx) => {
      await tx.holds.insert(sampleHold({ id: 'a', searchText: 'pay 100% to ada_x' }));
      await tx.holds.insert(sampleHold({ id: 'b', runId: 'r', place: 2, searchText: 'pay bob' }));
      await tx.holds.insert(sampleHold({ id: 'c', runId: 'r', place: 1, state: 'decided' }));
      await tx.holds.insert(sampleHold({ id: 'd', conversationId: 'c' }));
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
    assert.deepEqual(await idsOf({ text: '0%' }), ['a']);
    assert.deepEqual(await idsOf({ text: '_' }), ['a']);
    assert.deepEqual(await idsOf({ text: '%' }), ['a']);
    const ofRun = await store.read((tx) => tx.holds.ofRun(TENANT, 'r', ['open', 'decided']));
    assert.deepEqual(
      ofRun.map(({ id }) => id),
      ['c', 'b'],
    );
  },
};
