import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { chainOf, collect, KEY, PUBLIC_KEYS, TENANT } from '../../test/support/sample-audit.ts';
import { sqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { sampleRun } from '../testing/sample-rows.ts';
import { cancelRun } from '../transitions/cancel-run.ts';
import { startRun } from '../transitions/start-run.ts';
import { fromAuditLines, toAuditLines } from './audit-lines.ts';
import { exportAudit } from './export-audit.ts';
import { signRunAudit, signTenantAudit } from './sign-audit.ts';
import { type AuditReport, verifyAudit } from './verify-audit.ts';

const ADA = { id: 'ada' };

interface Opened extends AsyncDisposable {
  readonly store: Store;
  readonly runIds: readonly string[];
  /** A change by a person with write access to the file. */
  tamper(sql: string): void;
}

/** Creates a store in a file, with runs. */
async function opened(count: number): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-desk-'));
  const path = join(folder, 'desk.sqlite');
  const store = await sqliteStore({ path });
  const runIds: string[] = [];
  for (let index = 0; index < count; index++) {
    const start = { agent: 'a', input: '"secret"', startHash: 'h', requester: ADA };
    const { id } = await startRun(store, TENANT, start);
    await cancelRun(store, TENANT, id, ADA);
    runIds.push(id);
  }
  await startRun(store, 'other', { agent: 'a', input: '', startHash: 'h' });
  return {
    store,
    runIds,
    tamper(sql) {
      using database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
      expect(database.prepare(sql).run().changes).toBeGreaterThan(0);
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Adds many runs in one transaction. */
function insertRuns(store: Store, count: number): Promise<void> {
  return store.write(async (tx) => {
    for (let index = 0; index < count; index++) {
      const said = { kind: 'run-started', by: 'ada', data: {} } as const;
      const rows = chainOf(`run-${index}`, [said, said], 2);
      const { runId: id, hash: auditHash } = rows[1]!;
      await tx.runs.insert(
        sampleRun({ tenant: TENANT, id, createdAt: index, auditCount: 2, auditHash }),
      );
      for (const row of rows) await tx.audit.append(row);
    }
  });
}

async function verify(store: Store, checkpoints: readonly unknown[]): Promise<AuditReport> {
  // The audit goes through a file, and the checkpoints through JSON.
  const lines = await collect(toAuditLines(exportAudit(store, { tenant: TENANT })));
  return verifyAudit({
    tenant: TENANT,
    entries: fromAuditLines(lines),
    checkpoints: JSON.parse(JSON.stringify(checkpoints)),
    publicKeys: PUBLIC_KEYS,
  });
}

describe('the audit of a tenant in a database', () => {
  it('is exported and signed completely, over pages', async () => {
    await using desk = await opened(1);
    await insertRuns(desk.store, 500);

    const checkpoint = await signTenantAudit(desk.store, { tenant: TENANT, key: KEY });
    const report = await verify(desk.store, [checkpoint]);

    expect(checkpoint).toMatchObject({ runs: 501, tenant: TENANT, keyId: 'key-1' });
    expect(report).toMatchObject({ status: 'intact', runs: 501, entries: 1002 });
    expect(report.signedEntries).toBe(1002);
  });

  it('may grow after it was signed', async () => {
    await using desk = await opened(1);
    const start = { agent: 'a', input: '', startHash: 'h' };
    const { id } = await startRun(desk.store, TENANT, start);
    const early = await signRunAudit(desk.store, { tenant: TENANT, runId: id, key: KEY });
    const all = await signTenantAudit(desk.store, { tenant: TENANT, key: KEY });

    await cancelRun(desk.store, TENANT, id, ADA);
    await startRun(desk.store, TENANT, start);
    const report = await verify(desk.store, [early, all]);

    expect(early).toMatchObject({ kind: 'run', runId: id, number: 1 });
    expect(report).toMatchObject({ status: 'intact', runs: 3, entries: 5, signedEntries: 3 });
  });

  it.each([
    ['edited', `update desk_audit set "by" = '{"id":"eve"}' where run_id = :run and number = 2`],
    ['missing', `delete from desk_audit where run_id = :run and number = 2`],
    ['missing', `delete from desk_audit where run_id = :run and number = 1`],
    ['missing-run', `delete from desk_audit where run_id = :run`],
    ['missing-run', `delete from desk_runs where id = :run`],
  ])('shows as %s after: %s', async (kind, sql) => {
    await using desk = await opened(3);
    const checkpoint = await signTenantAudit(desk.store, { tenant: TENANT, key: KEY });

    desk.tamper(sql.replace(':run', `'${desk.runIds[1]}'`));
    const { problems } = await verify(desk.store, [checkpoint]);

    expect(problems).toContainEqual(expect.objectContaining({ kind, runId: desk.runIds[1] }));
  });

  it('cannot be signed for an unknown run', async () => {
    await using desk = await opened(1);
    const signing = signRunAudit(desk.store, {
      tenant: 'nobody',
      runId: desk.runIds[0]!,
      key: KEY,
    });

    await expect(signing).rejects.toThrow(/There is no run/);
  });
});
