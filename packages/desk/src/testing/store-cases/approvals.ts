import assert from 'node:assert/strict';
import { NO_POLICY } from '../../approvers/policy.ts';
import { DeskError } from '../../errors/desk-error.ts';
import type { DecisionRow } from '../../model/decision-row.ts';
import { hashedAudit } from '../../model/audit-chain.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import { grantHash } from '../../model/row-hash.ts';
import type { GrantRow } from '../../model/grant-row.ts';
import type { GrantedCall, Store } from '../../store/store.ts';
import { decideHold } from '../../transitions/decide-hold.ts';
import { beginRun } from '../../transitions/begin-run.ts';
import { parkRun } from '../../transitions/park-run.ts';
import { revokeGrant } from '../../transitions/revoke-grant.ts';
import { startRun } from '../../transitions/start-run.ts';
import { claimTask } from '../../transitions/tasks.ts';
import {
  insertGrant,
  insertHold,
  insertParentRun,
  sampleGrant,
  sampleHold,
} from '../sample-rows.ts';
import { idList, LONG, type StoreChecks, TENANT, writerOf } from '../store-bench.ts';

/** Decisions, votes and grants. */
export const approvals: StoreChecks = {
  'returns the decisions on one hold in the order of their numbers': async ({ store }) => {
    const decision = (holdId: string, number: number): DecisionRow => ({
      tenant: TENANT,
      holdId,
      number,
      by: { id: 'ada' },
      decision: { kind: 'approve' },
      digest: 'digest',
      at: 1,
    });
    const withGrant: DecisionRow = {
      ...decision('hold-1', 10),
      roles: ['lead'],
      countsFor: 'other',
      grant: { match: { args: { a: 1 } }, uses: 1 },
    };
    await store.write(async (tx) => {
      for (const id of ['hold-1', 'hold-2']) await insertHold(tx, { id });
      await insertHold(tx, { tenant: 'other' });
      for (const number of [9, 1, 2]) await tx.decisions.insert(decision('hold-1', number));
      await tx.decisions.insert(withGrant);
      await tx.decisions.insert(decision('hold-2', 1));
      await tx.decisions.insert({ ...decision('hold-1', 3), tenant: 'other' });
    });

    const found = await store.read((tx) => tx.decisions.ofHold(TENANT, 'hold-1'));

    assert.deepEqual(
      found.map(({ number }) => number),
      [1, 2, 9, 10],
    );
    assert.deepEqual({ ...found.at(-1) }, withGrant);
  },

  'returns every member of holds and grants as it was written': async ({ store }) => {
    const hold = sampleHold({
      callDigest: 'call',
      revision: 2,
      proposal: { decision: { kind: 'approve', args: { a: 1 } }, by: { id: 'ada' }, at: 7 },
      votes: [{ id: 'ada', at: 7, roles: ['lead'] }],
      approvers: { roles: ['lead'], count: 2, notRequester: true, grants: 'never' },
      requirements: [{ people: ['kim'], count: 1, notRequester: false, grants: 'never' }],
      auditFrom: 3,
      requester: { id: 'grace' },
      otherRequesters: [{ id: 'mel' }, null],
      schema: { type: 'object' },
      toolHash: 'hash',
      decidedBy: { kind: 'grant', grantId: 'grant-1' },
      isStarted: true,
    });
    const grant = sampleGrant({
      requester: { id: 'ada' },
      match: { kind: 'contains', args: { a: [1] } },
      expiresAt: 5_000,
      uses: 3,
      requesterKey: 'ada',
      auditEntry: 5,
      revokedAt: 6_000,
      revokedBy: { id: 'mel', name: 'Mel' },
    });
    await store.write(async (tx) => {
      await insertHold(tx, hold);
      await insertGrant(tx, grant);
    });

    const [gotHold, gotGrant] = await store.read(async (tx) => [
      await tx.holds.get(TENANT, hold.id),
      await tx.grants.get(TENANT, grant.id),
    ]);
    assert.deepEqual({ ...gotHold }, hold);
    assert.deepEqual({ ...gotGrant }, grant);
  },

  'finds the live grants for a tool': async ({ store }) => {
    const grants = [
      sampleGrant({ id: 'b', createdAt: 2 }),
      sampleGrant({ id: 'a', createdAt: 1 }),
      sampleGrant({ id: 'c', createdAt: 3, expiresAt: 100, uses: 2, used: 1 }),
      sampleGrant({ id: 'revoked', revokedAt: 1 }),
      sampleGrant({ id: 'expired', expiresAt: 99 }),
      sampleGrant({ id: 'used up', uses: 2, used: 2 }),
      sampleGrant({ id: 'another tool', toolHash: 'other' }),
      sampleGrant({ id: 'a', tenant: 'other' }),
    ];
    await store.write(async (tx) => {
      for (const grant of grants) await insertGrant(tx, grant);
    });

    const live = await store.read((tx) => tx.grants.liveFor(TENANT, CALL, 99));

    assert.deepEqual(idList(live), ['a', 'b', 'c']);
  },

  'finds only the grants whose scope contains the call': async ({ store }) => {
    const of = (fields: Partial<GrantRow>) => sampleGrant({ requesterKey: 'ada', ...fields });
    const grants = [
      of({ id: 'tenant', createdAt: 1, agent: 'other' }),
      of({ id: 'agent', createdAt: 2, scope: 'agent' }),
      of({ id: 'agent of another', scope: 'agent', agent: 'other' }),
      of({ id: 'conversation', createdAt: 3, scope: 'conversation', conversationId: 'here' }),
      of({ id: 'another conversation', scope: 'conversation', conversationId: 'there' }),
      of({ id: 'requester', createdAt: 4, scope: 'requester' }),
      of({ id: 'another requester', scope: 'requester', requesterKey: 'mel' }),
      of({ id: 'unknown requester', scope: 'requester', requesterKey: undefined }),
    ];
    await store.write(async (tx) => {
      for (const grant of grants) await insertGrant(tx, grant);
    });
    const found = async (requesterKey: string | undefined) => {
      const call = { ...CALL, conversationId: 'here', requesterKey };
      const live = await store.read((tx) => tx.grants.liveFor(TENANT, call, 99));
      return live.map(({ id }) => id);
    };

    assert.deepEqual(await found('ada'), ['tenant', 'agent', 'conversation', 'requester']);
    assert.deepEqual(await found(undefined), ['tenant', 'agent', 'conversation']);
  },

  'lists grants in pages, the latest first': async ({ store }) => {
    await store.write(async (tx) => {
      for (const number of [1, 2, 3, 4, 5]) {
        const revokedAt = number === 3 ? 9 : undefined;
        await insertGrant(tx, { id: `${number}`, createdAt: number, revokedAt });
      }
    });
    const pages = async (live?: boolean | undefined) => {
      const ids: string[][] = [];
      let after: string | undefined;
      do {
        const from: string | undefined = after;
        const query = { limit: 2, live, after: from };
        const page = await store.read((tx) => tx.grants.list(TENANT, query, 10));
        ids.push(page.items.map(({ id }) => id));
        after = page.next;
      } while (after !== undefined);
      return ids;
    };

    assert.deepEqual(await pages(), [['5', '4'], ['3', '2'], ['1']]);
    assert.deepEqual(await pages(true), [
      ['5', '4'],
      ['2', '1'],
    ]);
    assert.deepEqual(await pages(false), [['3']]);
  },

  'finds grants by the first characters of their ids': async ({ store }) => {
    await store.write(async (tx) => {
      for (const id of ['ab10', 'ab2']) await insertGrant(tx, { id });
    });
    const { items } = await store.read((tx) => tx.grants.list(TENANT, { idPrefix: 'ab1' }, 10));

    assert.deepEqual(idList(items), ['ab10']);
  },

  'decides with the last vote that is needed, if many approvers vote at once': async (bench) => {
    const handles = await bench.handles(4);
    const [hold] = await parkedRun(bench.store, 3);
    const { id, digest } = hold!;

    const outcomes = await Promise.allSettled(
      Array.from({ length: 24 }, (_, index) =>
        decideHold(handles[index % 4]!, NO_POLICY, TENANT, id, {
          decision: { kind: 'approve' },
          // Each approver votes four times.
          by: { id: `person-${index % 6}` },
          digest,
        }),
      ),
    );

    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 3);
    for (const one of outcomes) {
      if (one.status === 'rejected') assert.ok(one.reason instanceof DeskError);
    }
    const [row, decisions] = await bench.store.read(async (tx) => [
      await tx.holds.get(TENANT, id),
      await tx.decisions.ofHold(TENANT, id),
    ]);
    assert.equal(row?.state, 'decided');
    assert.equal(new Set(decisions.map(({ by }) => by.id)).size, 3);
    assert.deepEqual(
      row.votes?.map((vote) => vote.id),
      decisions.map(({ by }) => by.id),
    );
  },

  'uses a grant at most as often as it allows, if many runs park at once': async (bench) => {
    const handles = await bench.handles(4);
    await insertAuditedGrant(bench.store, { uses: 3 });

    const holds = await Promise.all(
      Array.from({ length: 12 }, (_, index) => parkedRun(handles[index % 4]!, 1)),
    );

    const settled = holds.flat().filter(({ state }) => state === 'decided');
    assert.equal(settled.length, 3);
    const grant = await bench.store.read((tx) => tx.grants.get(TENANT, 'grant-1'));
    assert.equal(grant?.used, 3);
  },

  'does not use a revoked grant': async (bench) => {
    const { store } = bench;
    const [origin] = await parkedRun(store, 2);
    await insertAuditedGrant(store, { runId: origin!.runId, holdId: origin!.id });
    const [first] = await parkedRun(store, 1);
    assert.equal(first?.state, 'decided');

    await revokeGrant(store, TENANT, 'grant-1', { id: 'ada' });

    const [second] = await parkedRun(store, 1);
    assert.equal(second?.state, 'open');
  },
};

/** Inserts a grant with the audit entry that covers it. */
function insertAuditedGrant(store: Store, fields: Partial<GrantRow>): Promise<void> {
  return store.write(async (tx) => {
    const grant = sampleGrant(fields);
    const { tenant, runId, id: grantId } = grant;
    await insertParentRun(tx, tenant, runId);
    const run = await tx.runs.lock(tenant, runId);
    assert.ok(run !== undefined);
    const data = { grantId, grant: grantHash(grant) };
    const number = run.auditCount + 1;
    const about = { tenant, runId, number, at: grant.createdAt, data, previous: run.auditHash };
    const entry = hashedAudit({ ...about, kind: 'grant-created' });
    await tx.audit.append(entry);
    await tx.runs.put({ ...run, auditCount: number, auditHash: entry.hash });
    await insertGrant(tx, { ...grant, auditEntry: number });
  });
}

/** A call of the sample tool. */
const CALL: GrantedCall = {
  toolHash: 'tool-hash',
  agent: 'agent',
  conversationId: 'conversation of run-1',
  requesterKey: 'ada',
};

/** Parks a run on one call that requires `count` approvals; returns its holds. */
async function parkedRun(store: Store, count: number): Promise<readonly HoldRow[]> {
  const run = await startRun(store, TENANT, { agent: 'agent', input: '"x"', startHash: 'hash' });
  const claim = await claimTask(store, ['run'], LONG, [TENANT, 'run', run.id]);
  assert.ok(claim !== undefined, 'no task is due');
  await beginRun(writerOf(store, claim), 5);
  await parkRun(writerOf(store, claim), NO_POLICY, {
    position: 0,
    messages: ['"a"'],
    version: 1,
    usage: {},
    hasHeard: true,
    holds: [
      {
        kind: 'approval',
        key: 'call-1',
        path: [],
        toolName: 'tool',
        args: {},
        digest: `digest of ${run.id}`,
        toolHash: 'tool-hash',
        approvers: { count, notRequester: false, grants: 'tenant' },
      },
    ],
  });
  return store.read((tx) => tx.holds.ofRun(TENANT, run.id, ['open', 'decided']));
}
