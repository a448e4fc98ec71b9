import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type DecisionRow,
  type Approvers,
  type Desk,
  type GrantRow,
  type HoldRow,
  openDesk,
  type RunRow,
  sqliteStore,
  type Store,
  TamperedError,
} from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { hashedAudit } from '../../src/model/audit-chain.ts';
import { grantHash } from '../../src/model/row-hash.ts';
import { scratchRoot } from '../platform/support/scratch-folder.ts';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, onlyHold } from '../support/people.ts';

const BOB = { id: 'bob', roles: ['lead'] };
const CY = { id: 'cy', roles: ['lead'] };

/** A desk whose `pay` needs two leads. */
function deskOn(store: Store, approvers: Approvers = { roles: ['lead'], count: 2 }) {
  const bank = newBank();
  const errors: unknown[] = [];
  const registered = { agent: teller, deps: () => bank };
  const agents = { teller: registered, impostor: registered };
  const onError = (error: unknown) => errors.push(error);
  return { desk: openDesk({ store, agents, approvers, onError }), bank, errors };
}

async function parked(desk: Desk): Promise<HoldRow> {
  const runId = await desk.start('teller', 'pay acme', { requester: ADA });
  await desk.work({ runId });
  return onlyHold(desk, runId);
}

function approve(desk: Desk, { id, digest }: HoldRow, { roles, ...by }: typeof BOB) {
  return desk.decide(id, { kind: 'approve' }, { by, roles, digest });
}

/** Changes a row in the database, past the desk. */
function change(store: Store, id: string, fields: Partial<HoldRow>): Promise<void> {
  return store.write(async (tx) => {
    const hold = await tx.holds.lock('default', id);
    await tx.holds.put({ ...hold!, ...fields });
  });
}

/** Changes the row of a run in the database, past the desk. */
function changeRun(store: Store, id: string, fields: Partial<RunRow>): Promise<void> {
  return store.write(async (tx) => {
    const run = await tx.runs.lock('default', id);
    await tx.runs.put({ ...run!, ...fields });
  });
}

const VOTE = { id: 'cy', at: 1, roles: ['lead'] };

describe.each(STORES)('security L5: a row that was changed in the database %s', (_, open) => {
  const forgeries: readonly (readonly [string, Partial<HoldRow>])[] = [
    ['the requirement', { approvers: { count: 1, notRequester: false, grants: 'never' } }],
    ['a raised requirement', { requirements: [] }],
    ['a vote', { votes: [VOTE] }],
    ['displayed arguments', { args: { to: 'harmless' } }],
    ['displayed validated arguments', { validatedArgs: { to: 'acme', euros: 1 } }],
    ['the preview', { preview: 'Nothing happens.' }],
    [
      'an edit',
      {
        proposal: {
          decision: { kind: 'approve', args: { to: 'mallory', euros: 9_999 } },
          by: { id: 'cy' },
          at: 1,
        },
      },
    ],
    ['the requester', { requester: { id: 'mel' } }],
    ['the outcome', { decidedBy: { kind: 'shadow' } }],
    ['the digest', { digest: 'forged' }],
    ['the time of the request', { createdAt: 1 }],
    ['where its audit begins', { auditFrom: 10_000, votes: [VOTE] }],
  ];

  it.each(forgeries)('stops the run: %s', async (_name, fields) => {
    await using opened = await open();
    const { desk, bank, errors } = deskOn(opened.store);
    const hold = await parked(desk);
    await approve(desk, hold, BOB);
    await approve(desk, hold, CY);

    await change(opened.store, hold.id, fields);

    const run = await desk.work({ runId: hold.runId });
    expect(run).toMatchObject({ state: 'stuck', error: { code: 'tampered' } });
    expect(bank.paid).toEqual([]);
    expect(errors).toMatchObject([expect.any(TamperedError)]);
    await desk.retry(hold.runId, { by: ADA });
    expect((await desk.work({ runId: hold.runId })).state).toBe('stuck');
  });

  it.each(forgeries.slice(0, -1))(
    'accepts no decision, which would record the changed row as it is: %s',
    async (_name, fields) => {
      await using opened = await open();
      const { desk, bank } = deskOn(opened.store);
      const hold = await parked(desk);
      await change(opened.store, hold.id, fields);
      const { digest } = await desk.hold(hold.id);

      const decided = approve(desk, { ...hold, digest }, BOB);

      await expect(decided).rejects.toMatchObject({ code: 'tampered' });
      expect((await desk.hold(hold.id)).decisions).toEqual([]);
      expect((await desk.work({ runId: hold.runId })).state).toBe('parked');
      expect(bank.paid).toEqual([]);
    },
  );

  it('stops the run: a hold that is decided without a second vote', async () => {
    await using opened = await open();
    const { desk, bank } = deskOn(opened.store);
    const hold = await parked(desk);
    const other = await desk.start('teller', 'pay b', { requester: ADA });
    await desk.work({ runId: other });
    await approve(desk, hold, BOB);
    await opened.store.write(async (tx) => {
      const row = await tx.holds.lock('default', hold.id);
      const settled = { state: 'decided', outcome: 'decided', settledAt: row!.createdAt } as const;
      await tx.holds.put({ ...row!, ...settled, votes: [...row!.votes!, VOTE] });
      const run = await tx.runs.lock('default', hold.runId);
      await tx.runs.put({ ...run!, state: 'ready', openHolds: 0 });
      const task = await tx.tasks.lock('default', 'run', hold.runId);
      await tx.tasks.put({ ...task!, due: 0 });
    });

    const run = await desk.work({ runId: hold.runId });
    expect(run).toMatchObject({ state: 'stuck', error: { code: 'tampered' } });
    expect(bank.paid).toEqual([]);
  });

  const changedRuns: readonly (readonly [string, Partial<RunRow>])[] = [
    ['the requester, for whom the agent would get its dependencies', { requester: { id: 'mel' } }],
    ['the agent, which would execute a tool with the same name', { agent: 'impostor' }],
  ];

  it.each(changedRuns)('stops the run, whose own row was changed: %s', async (_name, fields) => {
    await using opened = await open();
    const { desk, bank } = deskOn(opened.store);
    const hold = await parked(desk);
    await approve(desk, hold, BOB);
    await approve(desk, hold, CY);

    await changeRun(opened.store, hold.runId, fields);

    const run = await desk.work({ runId: hold.runId });
    expect(run).toMatchObject({ state: 'stuck', error: { code: 'tampered' } });
    expect(bank.paid).toEqual([]);
  });

  it('accepts no approval of a denied hold that was opened again', async () => {
    await using opened = await open();
    const { desk, bank } = deskOn(opened.store, { roles: ['lead'] });
    const hold = await parked(desk);
    const { roles, ...by } = BOB;
    await desk.decide(hold.id, { kind: 'deny' }, { by, roles, digest: hold.digest });
    await change(opened.store, hold.id, { state: 'open' });
    await changeRun(opened.store, hold.runId, { state: 'parked', openHolds: 1 });

    await expect(approve(desk, hold, CY)).rejects.toMatchObject({ code: 'tampered' });

    await desk.work({ runId: hold.runId });
    expect(bank.paid).toEqual([]);
  });

  it('adds no approvers by a step of escalation for a hold that was made older', async () => {
    await using opened = await open();
    const also = { roles: ['clerk'] };
    const rule = { roles: ['lead'], escalate: [{ afterMs: 60_000, also }] };
    const { desk, bank } = deskOn(opened.store, rule);
    const hold = await parked(desk);
    await change(opened.store, hold.id, { createdAt: hold.createdAt - 60_000 });

    const decided = approve(desk, hold, { id: 'dan', roles: ['clerk'] });

    await expect(decided).rejects.toMatchObject({ code: 'tampered' });
    await desk.work({ runId: hold.runId });
    expect(bank.paid).toEqual([]);
  });

  it('executes no call by a grant whose revocation was removed while other calls were pending', async () => {
    await using opened = await open();
    const { desk, bank, errors } = deskOn(opened.store, { grants: 'tenant' });
    const first = await parked(desk);
    const grantRequest = { match: 'tool', scope: 'tenant' } as const;
    const { digest } = first;
    await desk.decide(first.id, { kind: 'approve' }, { by: BOB, digest, grant: grantRequest });
    await desk.work({ runId: first.runId });
    const [grant] = (await desk.grants({ live: true })).items;
    const runId = await desk.start('teller', 'pay acme, look_up x', { requester: ADA });
    await desk.work({ runId });
    await desk.revokeGrant(grant!.id, { by: ADA });
    await opened.store.write(async (tx) => {
      const row = await tx.grants.lock('default', grant!.id);
      await tx.grants.put({ ...row!, revokedAt: undefined, revokedBy: undefined });
    });

    const lookUp = await onlyHold(desk, runId);
    await desk.decide(
      lookUp.id,
      { kind: 'result', value: 'x' },
      { by: BOB, digest: lookUp.digest },
    );
    const run = await desk.work({ runId });

    expect(run).toMatchObject({ state: 'stuck', error: { code: 'tampered' } });
    expect(errors).toMatchObject([{ code: 'tampered' }]);
    expect(bank.paid).toHaveLength(1);
  });

  it('returns no changed arguments to an executor that repeats its claim', async () => {
    await using opened = await open();
    const tools = { refund: { approvers: {}, schema: { type: 'object' } } };
    const desk = openDesk({ store: opened.store, agents: {}, requests: { tools } });
    const { id, holdId } = await desk.request('refund', { euros: 1 }, { by: ADA });
    await approve(desk, await desk.hold(holdId), BOB);
    const { token, args } = await desk.requests.claim(id, { by: ADA });
    expect(args).toEqual({ euros: 1 });
    await change(opened.store, holdId, { args: { euros: 1_000 } });

    const again = desk.requests.claim(id, { by: ADA, token });

    await expect(again).rejects.toMatchObject({ code: 'tampered' });
  });

  it('stops the run: a decision that was changed or removed', async () => {
    await using opened = await open();
    const edits: readonly ((decision: DecisionRow) => DecisionRow | undefined)[] = [
      (decision) => ({ ...decision, by: { id: 'mallory' } }),
      (decision) => ({ ...decision, decision: { kind: 'approve', args: { to: 'mallory' } } }),
      () => undefined,
    ];
    for (const edit of edits) {
      const { desk, bank } = deskOn(opened.store);
      const hold = await parked(desk);
      await approve(desk, hold, BOB);
      await approve(desk, hold, CY);
      await opened.store.write(async (tx) => {
        const decision = await tx.decisions.lock('default', hold.id, 2);
        const changed = edit(decision!);
        if (changed === undefined) await tx.decisions.remove('default', hold.id, 2);
        else await tx.decisions.put(changed);
      });

      const run = await desk.work({ runId: hold.runId });
      expect(run).toMatchObject({ state: 'stuck', error: { code: 'tampered' } });
      expect(bank.paid).toEqual([]);
    }
  });

  it('decides nothing: a grant', async () => {
    await using opened = await open();
    const forged: readonly Partial<GrantRow>[] = [
      { match: { kind: 'any' } },
      { by: [VOTE] },
      { uses: 100 },
      { expiresAt: undefined },
      { auditEntry: undefined },
      { auditEntry: 1 },
    ];
    for (const fields of forged) {
      const { desk, bank, errors } = deskOn(opened.store, { grants: 'tenant' });
      const hold = await parked(desk);
      const grantRequest = {
        match: 'same-arguments',
        scope: 'tenant',
        uses: 5,
        expiresAfter: 60_000,
      } as const;
      await desk.decide(
        hold.id,
        { kind: 'approve' },
        { by: BOB, digest: hold.digest, grant: grantRequest },
      );
      await desk.work({ runId: hold.runId });
      const [grant] = (await desk.grants({ live: true })).items;
      expect(bank.paid).toHaveLength(1);
      const again = await desk.start('teller', 'pay acme', { requester: ADA });
      await desk.work({ runId: again });
      expect(bank.paid).toHaveLength(2);

      await opened.store.write(async (tx) => {
        const row = await tx.grants.lock('default', grant!.id);
        await tx.grants.put({ ...row!, ...fields });
      });

      const runId = await desk.start('teller', 'pay acme', { requester: ADA });
      expect((await desk.work({ runId })).state).toBe('parked');
      expect(errors).toMatchObject([{ code: 'tampered' }]);
      await desk.revokeGrant(grant!.id, { by: ADA });
      await opened.store.write(async (tx) => {
        const row = await tx.grants.lock('default', grant!.id);
        await tx.grants.put({ ...grant!, used: row!.used, revokedAt: undefined });
      });
      const revoked = await desk.start('teller', 'pay acme', { requester: ADA });
      expect((await desk.work({ runId: revoked })).state).toBe('parked');
      await desk.revokeGrant(grant!.id, { by: ADA });
    }
  });

  it('decides nothing: a grant whose audit entry was added past the end of the audit', async () => {
    await using opened = await open();
    const { desk, bank, errors } = deskOn(opened.store, { grants: 'tenant' });
    const hold = await parked(desk);
    await desk.decide(hold.id, { kind: 'approve' }, { by: BOB, digest: hold.digest });
    const run = await desk.work({ runId: hold.runId });
    expect(bank.paid).toHaveLength(1);
    const { tenant, id: runId, auditCount, auditHash: previous } = run;
    const auditEntry = auditCount + 1;
    const grant: GrantRow = {
      tenant,
      id: 'forged',
      scope: 'tenant',
      toolName: 'pay',
      toolHash: String(hold.toolHash),
      match: { kind: 'any' },
      agent: 'teller',
      path: [],
      conversationId: run.conversationId,
      by: [VOTE],
      holdId: hold.id,
      runId,
      used: 0,
      createdAt: run.createdAt,
      auditEntry,
    };
    await opened.store.write(async (tx) => {
      const data = { grantId: grant.id, grant: grantHash(grant), holdId: hold.id };
      const kind = 'grant-created' as const;
      const entry = { tenant, runId, number: auditEntry, at: run.createdAt, kind, data, previous };
      await tx.audit.append(hashedAudit(entry));
      await tx.grants.insert(grant);
    });

    const next = await desk.start('teller', 'pay acme', { requester: ADA });

    expect((await desk.work({ runId: next })).state).toBe('parked');
    expect(errors).toMatchObject([{ code: 'tampered' }]);
    expect(bank.paid).toHaveLength(1);
  });
});

describe('a grant whose revocation was removed from the database', () => {
  it('decides nothing', async () => {
    const folder = mkdtempSync(join(scratchRoot(), 'holdpoint-tampered-'));
    const path = join(folder, 'desk.sqlite');
    await using store = await sqliteStore({ path });
    const { desk, bank, errors } = deskOn(store, { grants: 'tenant' });
    const hold = await parked(desk);
    const grantRequest = { match: 'tool', scope: 'tenant' } as const;
    const given = { by: BOB, digest: hold.digest, grant: grantRequest };
    await desk.decide(hold.id, { kind: 'approve' }, given);
    await desk.work({ runId: hold.runId });
    const [grant] = (await desk.grants({ live: true })).items;
    await desk.revokeGrant(grant!.id, { by: ADA });
    await store.write(async (tx) => {
      const row = await tx.grants.lock('default', grant!.id);
      await tx.grants.put({ ...row!, revokedAt: undefined, revokedBy: undefined });
    });
    const database = new DatabaseSync(path);
    database.exec("delete from desk_audit where kind = 'grant-revoked'");
    database.close();

    const runId = await desk.start('teller', 'pay acme', { requester: ADA });

    expect((await desk.work({ runId })).state).toBe('parked');
    expect(errors).toMatchObject([{ code: 'tampered' }]);
    expect(bank.paid).toHaveLength(1);
    rmSync(folder, { recursive: true });
  });
});
