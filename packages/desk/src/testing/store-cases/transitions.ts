import assert from 'node:assert/strict';
import { ClaimLostError } from '../../errors/claim-lost-error.ts';
import { auditHash } from '../../model/audit-chain.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import type { RunRow } from '../../model/run-row.ts';
import type { TaskClaim } from '../../model/task-row.ts';
import type { Store } from '../../store/store.ts';
import { acceptMessage } from '../../transitions/accept-message.ts';
import { NO_POLICY } from '../../approvers/policy.ts';
import { decideHold } from '../../transitions/decide-hold.ts';
import { beginRun } from '../../transitions/begin-run.ts';
import { cancelRun } from '../../transitions/cancel-run.ts';
import { checkpoint, type Progress } from '../../transitions/checkpoint-run.ts';
import { finishRun } from '../../transitions/end-run.ts';
import { expireHold } from '../../transitions/expire-hold.ts';
import { type NewHold, parkRun } from '../../transitions/park-run.ts';
import { startRun } from '../../transitions/start-run.ts';
import { claimTask, extendTask } from '../../transitions/tasks.ts';
import {
  expectOne,
  LONG,
  SHORT,
  type StoreBench,
  type StoreChecks,
  TENANT,
  writerOf,
} from '../store-bench.ts';

const START = { agent: 'agent', input: '"hello"', startHash: 'hash' };
const ADA = { id: 'ada' };

/** The operations of the desk. */
export const transitions: StoreChecks = {
  'starts one run for an idempotency key, if many callers start it at once': async (bench) => {
    const handles = await bench.handles(4);

    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        startRun(handles[index % handles.length]!, TENANT, { ...START, idempotencyKey: 'key' }),
      ),
    );

    assert.equal(new Set(runs.map(({ id }) => id)).size, 1);
  },

  'starts one run in a conversation, if many callers start one at once': async (bench) => {
    const handles = await bench.handles(4);

    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        startRun(handles[index % handles.length]!, TENANT, { ...START, conversationId: 'c' }),
      ),
    );

    expectOne(outcomes, ({ status }) => status === 'fulfilled');
  },

  'accepts a message once for its idempotency key, if it is sent many times at once': async (
    bench,
  ) => {
    const handles = await bench.handles(4);
    const { run } = await parked(bench, 1);
    const message = {
      conversationId: run.conversationId,
      input: '"more"',
      requester: ADA,
      idempotencyKey: 'key',
      hash: 'hash of the message',
      onOpenHolds: 'supersede',
    } as const;
    const send = (index: number) => acceptMessage(handles[index % 4]!, TENANT, message);

    const toParked = await Promise.all(Array.from({ length: 12 }, (_, index) => send(index)));
    const claim = await claimed(bench.store, LONG);
    await beginRun(writerOf(bench.store, claim), 5);
    await finishRun(writerOf(bench.store, claim), { ...progress(0, '"a"'), output: 'done' });
    const again = { ...message, idempotencyKey: 'another', hash: 'another' };
    const toEnded = await Promise.all(
      Array.from({ length: 12 }, (_, index) => acceptMessage(handles[index % 4]!, TENANT, again)),
    );

    assert.deepEqual(new Set(toParked.map(({ id }) => id)), new Set([run.id]));
    assert.equal((await send(0)).id, run.id);
    const ids = new Set(toEnded.map(({ id }) => id));
    assert.equal(ids.size, 1);
    assert.ok(!ids.has(run.id));
    const states = ['queued', 'delivered'] as const;
    const inputs = await bench.store.read((tx) => tx.inputs.ofRun(TENANT, run.id, states));
    assert.deepEqual(
      inputs.map(({ number, state }) => [number, state]),
      [
        [1, 'delivered'],
        [2, 'delivered'],
      ],
    );
  },

  'records one of many decisions, and lets one of many workers claim the run': async (bench) => {
    const handles = await bench.handles(4);
    const { holds } = await parked(bench, 3);

    const outcomes = await Promise.allSettled(
      Array.from({ length: 24 }, (_, index) => {
        const hold = holds[index % holds.length]!;
        const by = { id: `person-${index}` };
        const decision =
          index % 2 === 0 ? ({ kind: 'approve' } as const) : ({ kind: 'deny' } as const);
        const { digest } = hold;
        return decideHold(handles[index % 4]!, NO_POLICY, TENANT, hold.id, {
          decision,
          by,
          digest,
        });
      }),
    );

    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 3);
    const claims = await Promise.all(handles.map((store) => claimTask(store, ['run'], LONG)));
    expectOne(claims, (claim) => claim !== undefined);
    await expectChained(bench.store, holds[0]!.runId);
  },

  'expires a hold whose time is over, and rejects a concurrent decision': async (bench) => {
    const [first, second] = await bench.handles(2);
    const { run, holds } = await parked(bench, 1, SHORT);
    const [hold] = holds;
    await bench.pass(SHORT * 1.5);
    const claim = await claimTask(bench.store, ['expiry'], LONG);
    assert.ok(claim !== undefined && hold !== undefined);

    const { digest } = hold;
    const outcomes = await Promise.allSettled([
      decideHold(first!, NO_POLICY, TENANT, hold.id, {
        decision: { kind: 'approve' },
        by: ADA,
        digest,
      }),
      expireHold(second!, claim),
    ]);

    // The hold has expired by the clock of the store, in either order.
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    );
    const now = await bench.store.read((tx) => tx.runs.get(TENANT, run.id));
    assert.equal(now?.state, 'ready');
  },

  'lets no worker claim a parked run': async (bench) => {
    const { store } = bench;
    const run = await startRun(store, TENANT, START);
    const claim = await claimed(store, SHORT);
    await beginRun(writerOf(store, claim), 5);
    await parkRun(writerOf(store, claim), NO_POLICY, {
      ...progress(0, '"a"'),
      holds: [newHold(0)],
    });

    assert.equal(await extendTask(store, claim, LONG), 'lost');
    await bench.pass(SHORT * 1.5);
    assert.equal(await claimTask(store, ['run'], LONG), undefined);
    const now = await store.read((tx) => tx.runs.get(TENANT, run.id));
    assert.equal(now?.state, 'parked');
  },

  'does not expire a hold before its time': async (bench) => {
    const { store } = bench;
    const { holds } = await parked(bench, 1, LONG);
    const id = String(holds[0]?.id);
    await store.write(async (tx) => {
      const task = await tx.tasks.lock(TENANT, 'expiry', id);
      assert.ok(task?.due !== undefined && task.due > (await tx.now()));
      await tx.tasks.put({ ...task, due: await tx.now() });
    });
    const claim = await claimTask(store, ['expiry'], LONG);
    assert.ok(claim !== undefined);

    assert.equal(await expireHold(store, claim), 'not-due');

    const [hold, task] = await store.read(async (tx) => [
      await tx.holds.get(TENANT, id),
      await tx.tasks.get(TENANT, 'expiry', id),
    ]);
    assert.equal(hold?.state, 'open');
    assert.equal(task?.due, hold.expiresAt);
  },

  'rejects the writes of a worker after another worker has claimed its run': async (bench) => {
    const { store } = bench;
    const run = await startRun(store, TENANT, START);
    const old = await claimed(store, SHORT);
    await beginRun(writerOf(store, old), 5);
    await bench.pass(SHORT * 1.5);
    const claim = await claimed(store, LONG);
    await beginRun(writerOf(store, claim), 5);
    await writerOf(store, claim).write(checkpoint({ ...progress(0, '"new"'), isProgress: true }));

    const late = [
      beginRun(writerOf(store, old), 5),
      writerOf(store, old).write(checkpoint({ ...progress(0, '"old"'), isProgress: true })),
      parkRun(writerOf(store, old), NO_POLICY, { ...progress(0, '"old"'), holds: [newHold(0)] }),
      finishRun(writerOf(store, old), { ...progress(0, '"old"'), output: 'old' }),
    ];

    await Promise.all(late.map((one) => assert.rejects(one, ClaimLostError)));
    assert.equal(await extendTask(store, old, LONG), 'lost');
    assert.equal(await extendTask(store, claim, LONG), 'extended');
    const messages = await store.read((tx) => tx.messages.from(TENANT, run.conversationId, 0));
    assert.deepEqual(
      messages.map(({ body }) => body),
      ['"new"'],
    );
  },

  'accepts the writes of a slow worker while no other worker has claimed its run': async (
    bench,
  ) => {
    const { store } = bench;
    await startRun(store, TENANT, START);
    const claim = await claimed(store, SHORT);
    await beginRun(writerOf(store, claim), 5);
    await bench.pass(SHORT * 1.5);

    const done = await finishRun(writerOf(store, claim), { ...progress(0, '"a"'), output: 'done' });

    assert.equal(done.state, 'finished');
    assert.equal(await claimTask(store, ['run'], LONG), undefined);
  },

  'rejects the writes of a worker whose run was cancelled': async (bench) => {
    const { store } = bench;
    const run = await startRun(store, TENANT, START);
    const claim = await claimed(store, LONG);
    await beginRun(writerOf(store, claim), 5);
    await cancelRun(store, TENANT, run.id, ADA);

    await assert.rejects(
      finishRun(writerOf(store, claim), { ...progress(0, '"a"'), output: 'done' }),
      ClaimLostError,
    );
    assert.equal(await extendTask(store, claim, LONG), 'lost');
    const now = await store.read((tx) => tx.runs.get(TENANT, run.id));
    assert.equal(now?.state, 'cancelled');
    await expectChained(store, run.id);
  },
};

async function claimed(store: Store, lease: number): Promise<TaskClaim> {
  const claim = await claimTask(store, ['run'], lease);
  assert.ok(claim !== undefined, 'no task is due');
  return claim;
}

/** Parks a run with `count` open holds. */
async function parked(
  { store }: StoreBench,
  count: number,
  expiresAfter?: number | undefined,
): Promise<{ readonly run: RunRow; readonly holds: readonly HoldRow[] }> {
  await startRun(store, TENANT, START);
  const claim = await claimed(store, LONG);
  await beginRun(writerOf(store, claim), 5);
  const holds = Array.from({ length: count }, (_, index) => ({ ...newHold(index), expiresAfter }));
  const run = await parkRun(writerOf(store, claim), NO_POLICY, { ...progress(0, '"a"'), holds });
  assert.equal(run.openHolds, count);
  return { run, holds: await store.read((tx) => tx.holds.ofRun(TENANT, run.id, ['open'])) };
}

function progress(position: number, ...messages: readonly string[]): Progress {
  return { position, messages, version: 1, usage: {}, hasHeard: true };
}

function newHold(index: number): NewHold {
  return {
    kind: 'approval',
    key: `call-${index}`,
    path: [],
    toolName: 'tool',
    args: {},
    digest: `digest-${index}`,
  };
}

/** Asserts that the audit of a run is complete, and ends with the hash in the run. */
async function expectChained(store: Store, runId: string): Promise<void> {
  const [run, entries] = await store.read(async (tx) => [
    await tx.runs.get(TENANT, runId),
    await tx.audit.ofRun(TENANT, runId, 0, 1_000),
  ]);
  let previous = '';
  for (const [index, entry] of entries.entries()) {
    assert.equal(entry.number, index + 1);
    assert.equal(entry.previous, previous);
    assert.equal(entry.hash, auditHash(entry));
    previous = entry.hash;
  }
  assert.equal(run?.auditHash, previous);
  assert.equal(run.auditCount, entries.length);
}
