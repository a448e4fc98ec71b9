import assert from 'node:assert/strict';
import type { DecisionRow } from '../../model/decision-row.ts';
import type { EntryRow } from '../../model/entry-row.ts';
import {
  insertHold,
  insertInput,
  insertParentRun,
  sampleHold,
  sampleMessage,
  sampleRun,
} from '../sample-rows.ts';
import { type StoreChecks, TENANT } from '../store-bench.ts';

/** JSON that databases and drivers may change. */
const JSONS = [
  null,
  false,
  0,
  '',
  [],
  {},
  1e21,
  -1.5e-7,
  'a\u0000b \ud800 😀 "\\ \u2028',
  [1, [2, { three: [null] }]],
  JSON.parse('{"__proto__": {"admin": true}, "constructor": 1, "": 2}'),
  { text: 'x'.repeat(100_000) },
];

/** Writing and reading rows. */
export const rows: StoreChecks = {
  'returns rows as they were written, without members that were undefined': async ({ store }) => {
    const run = sampleRun({
      requester: { id: 'ada', name: 'Ada' },
      usage: { requests: 1 },
      output: null,
      error: { message: 'no' },
      idempotencyKey: "'; DROP TABLE desk_runs; --",
      prompt: 'a\u0000\ud800',
    });
    const hold = sampleHold({
      path: [{ toolName: 'a', toolCallId: 'b' }],
      drifted: true,
      deniedBefore: false,
      inDoubt: { attempt: 'x', reason: 'y', since: 12 },
      key: 'a\u0000\ud800',
      title: 'a\u0000\ud800',
    });
    await store.write(async (tx) => {
      await tx.runs.insert(run);
      await insertHold(tx, hold);
    });

    const [gotRun, gotHold] = await store.read(async (tx) => [
      await tx.runs.get(TENANT, run.id),
      await tx.holds.get(TENANT, hold.id),
    ]);

    assert.deepEqual({ ...gotRun }, { ...run });
    assert.deepEqual({ ...gotHold }, { ...hold });
    assert.ok(Object.isFrozen(gotRun) && Object.isFrozen(gotRun?.requester));
    assert.ok(gotHold !== undefined && !('preview' in gotHold));
  },

  'returns documents exactly as they were written, with the order of their members': async ({
    store,
  }) => {
    for (const [index, value] of JSONS.entries()) {
      const decision: DecisionRow = {
        tenant: TENANT,
        holdId: `hold-${index}`,
        number: 1,
        by: { id: 'ada' },
        decision: { kind: 'result', value },
        digest: '',
        at: 1,
      };
      const entry: EntryRow = {
        tenant: TENANT,
        key: `key-${index}`,
        state: 'settled',
        outcome: value,
        changedAt: 1,
      };
      await store.write(async (tx) => {
        await insertHold(tx, { id: decision.holdId });
        await tx.decisions.insert(decision);
        await tx.entries.insert(entry);
      });

      const [stored, kept] = await store.read(async (tx) => [
        await tx.decisions.get(TENANT, decision.holdId, 1),
        await tx.entries.get(TENANT, entry.key),
      ]);
      assert.deepEqual(JSON.stringify(stored?.decision), JSON.stringify(decision.decision));
      assert.deepEqual(JSON.stringify(kept?.outcome), JSON.stringify(value));
    }
  },

  'keeps the written values if the caller changes the object later': async ({ store }) => {
    const requester = { id: 'ada' };
    await store.write((tx) => tx.runs.insert(sampleRun({ requester })));
    requester.id = 'eve';

    const run = await store.read((tx) => tx.runs.get(TENANT, 'run-1'));
    assert.equal(run?.requester?.id, 'ada');
  },

  'inserts, replaces and removes the row of a key': async ({ store }) => {
    await store.write(async (tx) => {
      assert.equal(await tx.runs.insert(sampleRun()), true);
      assert.equal(await tx.runs.insert(sampleRun({ agent: 'other' })), false);
      await tx.runs.put(sampleRun({ state: 'running', requester: { id: 'ada' } }));
      assert.equal((await tx.runs.lock(TENANT, 'run-1'))?.agent, 'agent');
      await tx.runs.put(sampleRun({ state: 'parked' }));
      const run = await tx.runs.get(TENANT, 'run-1');
      assert.equal(run?.state, 'parked');
      assert.equal(run?.requester, undefined);
      await tx.runs.remove(TENANT, 'run-1');
      await tx.runs.remove(TENANT, 'run-1');
      assert.equal(await tx.runs.get(TENANT, 'run-1'), undefined);
    });
    await assert.rejects(store.write((tx) => tx.runs.put(sampleRun())));
  },

  'keeps tenants apart': async ({ store }) => {
    await store.write(async (tx) => {
      await tx.runs.insert(sampleRun({ conversationId: 'c' }));
      await insertInput(tx, { idempotencyKey: 'key' });
      await insertHold(tx);
      await tx.messages.replaceFrom(TENANT, 'c', 0, [sampleMessage(0)]);
      assert.equal(await tx.runs.insert(sampleRun({ tenant: 'other', conversationId: 'c' })), true);
      assert.equal(await insertInput(tx, { tenant: 'other', idempotencyKey: 'key' }), true);
    });

    await store.write(async (tx) => {
      assert.equal(await tx.holds.get('other', 'hold-1'), undefined);
      assert.equal((await tx.inputs.byIdempotencyKey('other', 'ada', 'key'))?.tenant, 'other');
      assert.equal((await tx.runs.liveIn('other', 'c'))?.tenant, 'other');
      assert.equal((await tx.runs.latestIn('other', 'c'))?.tenant, 'other');
      assert.deepEqual(await tx.messages.from('other', 'c', 0), []);
      assert.deepEqual(await tx.holds.ofRun('other', 'run-1', ['open']), []);
      assert.deepEqual((await tx.holds.list('other', {})).items, []);
      assert.equal((await tx.runs.list('other', {})).items.length, 1);
      await tx.messages.replaceFrom('other', 'c', 0, []);
      assert.equal(await tx.messages.count(TENANT, 'c'), 1);
    });
  },

  'appends messages to a conversation, and replaces its end': async ({ store }) => {
    await store.write(async (tx) => {
      await insertParentRun(tx, TENANT, 'run-1');
      assert.equal(await tx.messages.count(TENANT, 'c'), 0);
      await tx.messages.replaceFrom(
        TENANT,
        'c',
        0,
        [0, 1, 2].map((at) => sampleMessage(at)),
      );
      await tx.messages.replaceFrom(TENANT, 'c', 3, [sampleMessage(3)]);
      await tx.messages.replaceFrom(TENANT, 'c', 2, [sampleMessage(2, '"new"')]);
    });

    const found = await store.read((tx) => tx.messages.from(TENANT, 'c', 1));
    assert.deepEqual(
      found.map(({ position, body }) => [position, body]),
      [
        [1, '{"at":1}'],
        [2, '"new"'],
      ],
    );
    assert.equal(await store.read((tx) => tx.messages.count(TENANT, 'c')), 3);
  },

  'appends to an audit, and rejects a second entry with the same number': async ({ store }) => {
    const entry = (number: number) => ({
      tenant: TENANT,
      runId: 'run-1',
      number,
      at: 1,
      kind: 'run-claimed' as const,
      data: { number },
      previous: '',
      hash: `${number}`,
    });
    await store.write(async (tx) => {
      await insertParentRun(tx, TENANT, 'run-1');
      for (const number of [1, 2, 3]) await tx.audit.append(entry(number));
    });

    await assert.rejects(store.write((tx) => tx.audit.append({ ...entry(2), hash: 'other' })));
    const found = await store.read((tx) => tx.audit.ofRun(TENANT, 'run-1', 1, 10));
    assert.deepEqual(
      found.map(({ hash }) => hash),
      ['2', '3'],
    );
  },
};
