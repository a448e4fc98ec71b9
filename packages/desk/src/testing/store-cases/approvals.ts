import assert from 'node:assert/strict';
import { NO_POLICY } from '../../approvers/policy.ts';
import { DeskError } from '../../errors/desk-error.ts';
import type { AnswerRow } from '../../model/answer-row.ts';
import { hashedAudit } from '../../model/audit-chain.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import { grantHash } from '../../model/row-hash.ts';
import type { GrantRow } from '../../model/grant-row.ts';
import type { GrantedCall, Store } from '../../store/store.ts';
import { answerHold } from '../../transitions/answer-hold.ts';
import { beginRun } from '../../transitions/begin-run.ts';
import { parkRun } from '../../transitions/park-run.ts';
import { revokeGrant } from '../../transitions/revoke-grant.ts';
import { startRun } from '../../transitions/start-run.ts';
import { claimTask } from '../../transitions/tasks.ts';
import { sampleGrant, sampleHold } from '../sample-rows.ts';
import { LONG, type StoreChecks, TENANT } from '../store-bench.ts';

/** Votes, and approvals that were given in advance. */
export const approvals: StoreChecks = {
  'gives the answers to a hold in order, and those of no other': async ({ store }) => {
    const answer = (holdId: string, number: number): AnswerRow => ({
      tenant: TENANT,
      holdId,
      number,
      by: { id: 'ada' },
      answer: { kind: 'approve' },
      digest: 'digest',
      at: 1,
    });
    const remembered: AnswerRow = {
      ...answer('hold-1', 10),
      roles: ['lead'],
      countsFor: 'other',
      remember: { match: { args: { a: 1 } }, uses: 1 },
    };
    await store.write(async (tx) => {
      for (const number of [9, 1, 2]) await tx.answers.insert(answer('hold-1', number));
      await tx.answers.insert(remembered);
      await tx.answers.insert(answer('hold-2', 1));
      await tx.answers.insert({ ...answer('hold-1', 3), tenant: 'other' });
    });

    const found = await store.read((tx) => tx.answers.ofHold(TENANT, 'hold-1'));

    assert.deepEqual(
      found.map(({ number }) => number),
      [1, 2, 9, 10],
    );
    assert.deepEqual({ ...found.at(-1) }, remembered);
  },

  'gives what is new in holds and grants back as it was': async ({ store }) => {
    const hold = sampleHold({
      callDigest: 'call',
      revision: 2,
      proposal: { answer: { kind: 'edit', args: { a: 1 } }, by: { id: 'ada' }, at: 7 },
      votes: [{ id: 'ada', at: 7, roles: ['lead'] }],
      approvers: { roles: ['lead'], count: 2, notRequester: true, remember: 'never' },
      requirements: [{ people: ['kim'], count: 1, notRequester: false, remember: 'never' }],
      auditFrom: 3,
      requester: { id: 'grace' },
      alsoAsked: [{ id: 'mel' }, null],
      schema: { type: 'object' },
      toolHash: 'hash',
      decidedBy: { kind: 'grant', grantId: 'grant-1' },
      isBegun: true,
    });
    const grant = sampleGrant({
      toolName: 'a\u0000\ud800',
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
      await tx.holds.insert(hold);
      await tx.grants.insert(grant);
    });

    const [gotHold, gotGrant] = await store.read(async (tx) => [
      await tx.holds.get(TENANT, hold.id),
      await tx.grants.get(TENANT, grant.id),
    ]);
    assert.deepEqual({ ...gotHold }, hold);
    assert.deepEqual({ ...gotGrant }, grant);
  },

  'finds the grants that may decide something': async ({ store }) => {
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
      for (const grant of grants) await tx.grants.insert(grant);
    });

    const live = await store.read((tx) => tx.grants.liveFor(TENANT, CALL, 99));

    assert.deepEqual(
      live.map(({ id }) => id),
      ['a', 'b', 'c'],
    );
  },

  'B10: finds only the grants whose scope contains the call': async ({ store }) => {
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
      for (const grant of grants) await tx.grants.insert(grant);
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
        await tx.grants.insert(sampleGrant({ id: `${number}`, createdAt: number, revokedAt }));
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
      for (const id of ['ab10', 'ab2']) await tx.grants.insert(sampleGrant({ id }));
    });
    const { items } = await store.read((tx) => tx.grants.list(TENANT, { idPrefix: 'ab1' }, 10));

    assert.deepEqual(
      items.map(({ id }) => id),
      ['ab10'],
    );
  },

  'decides with the vote that is the last one needed, however many vote at once': async (bench) => {
    const handles = await bench.handles(4);
    const [hold] = await parkedRun(bench.store, 3);
    const { id, digest } = hold!;

    const said = await Promise.allSettled(
      Array.from({ length: 24 }, (_, index) =>
        answerHold(handles[index % 4]!, NO_POLICY, TENANT, id, {
          answer: { kind: 'approve' },
          // Each of them comes four times.
          by: { id: `person-${index % 6}` },
          digest,
        }),
      ),
    );

    assert.equal(said.filter(({ status }) => status === 'fulfilled').length, 3);
    for (const one of said) {
      if (one.status === 'rejected') assert.ok(one.reason instanceof DeskError);
    }
    const [row, answers] = await bench.store.read(async (tx) => [
      await tx.holds.get(TENANT, id),
      await tx.answers.ofHold(TENANT, id),
    ]);
    assert.equal(row?.state, 'decided');
    assert.equal(new Set(answers.map(({ by }) => by.id)).size, 3);
    assert.deepEqual(
      row.votes?.map((vote) => vote.id),
      answers.map(({ by }) => by.id),
    );
  },

  'uses a grant no more often than it says, however many runs park at once': async (bench) => {
    const handles = await bench.handles(4);
    await insertGrant(bench.store, sampleGrant({ uses: 3 }));

    const holds = await Promise.all(
      Array.from({ length: 12 }, (_, index) => parkedRun(handles[index % 4]!, 1)),
    );

    const settled = holds.flat().filter(({ state }) => state === 'decided');
    assert.equal(settled.length, 3);
    const grant = await bench.store.read((tx) => tx.grants.get(TENANT, 'grant-1'));
    assert.equal(grant?.used, 3);
  },

  'uses no grant any more once it is revoked': async (bench) => {
    const { store } = bench;
    const [origin] = await parkedRun(store, 2);
    await insertGrant(store, sampleGrant({ runId: origin!.runId }));
    const [first] = await parkedRun(store, 1);
    assert.equal(first?.state, 'decided');

    await revokeGrant(store, TENANT, 'grant-1', { id: 'ada' });

    const [second] = await parkedRun(store, 1);
    assert.equal(second?.state, 'open');
  },
};

/** Inserts a grant with the audit entry that covers it. */
function insertGrant(store: Store, grant: GrantRow): Promise<void> {
  return store.write(async (tx) => {
    const { tenant, runId, id: grantId } = grant;
    const run = await tx.runs.lock(tenant, runId);
    const data = { grantId, grant: grantHash(grant) };
    const number = (run?.auditCount ?? 0) + 1;
    const previous = run?.auditHash ?? '';
    const about = { tenant, runId, number, at: grant.createdAt, data, previous };
    const entry = hashedAudit({ ...about, kind: 'grant-made' });
    await tx.audit.append(entry);
    if (run !== undefined) await tx.runs.put({ ...run, auditCount: number, auditHash: entry.hash });
    await tx.grants.insert({ ...grant, auditEntry: number });
  });
}

/** A call of the sample tool. */
const CALL: GrantedCall = {
  toolHash: 'tool-hash',
  agent: 'agent',
  conversationId: 'conversation of run-1',
  requesterKey: 'ada',
};

/** The holds of a run that was parked on one call, which so many people have to agree to. */
async function parkedRun(store: Store, count: number): Promise<readonly HoldRow[]> {
  const run = await startRun(store, TENANT, { agent: 'agent', input: '"x"', startHash: 'hash' });
  const claim = await claimTask(store, ['run'], LONG, [TENANT, 'run', run.id]);
  assert.ok(claim !== undefined, 'there is nothing to claim');
  await beginRun(store, claim, 5);
  await parkRun(store, NO_POLICY, claim, {
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
        approvers: { count, notRequester: false, remember: 'tenant' },
      },
    ],
  });
  return store.read((tx) => tx.holds.ofRun(TENANT, run.id, ['open', 'decided']));
}
