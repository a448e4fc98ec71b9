import { DeskError } from '../errors/desk-error.ts';
import { checkOptions, requireText } from '../model/check-keys.ts';
import type { RunRow } from '../model/run-row.ts';
import { requireStore } from '../store/require-store.ts';
import type { Store } from '../store/store.ts';
import { allRuns } from './all-runs.ts';
import type { AuditHead } from './audit-head.ts';
import type { AuditKey } from './audit-key.ts';
import type { RunCheckpoint, TenantCheckpoint } from './checkpoint.ts';
import { signHead, signHeads } from './sign-checkpoint.ts';

/** Signs the current head of the audit of a run. Verify the audit first: a signature does not make it true. */
export async function signRunAudit(
  store: Store,
  options: { readonly tenant: string; readonly runId: string; readonly key: AuditKey },
): Promise<RunCheckpoint> {
  requireStore('`signRunAudit`', store);
  checkOptions<typeof options>('`signRunAudit`', options, { tenant: true, runId: true, key: true });
  const { tenant, runId, key } = options;
  requireText('`tenant` of `signRunAudit`', tenant);
  requireText('`runId` of `signRunAudit`', runId);
  const { run, at } = await store.read(async (tx) => {
    // The time is read first, so that the checkpoint contains everything that is older.
    const now = await tx.now();
    return { at: now, run: await tx.runs.get(tenant, runId) };
  });
  if (run === undefined) throw new DeskError('not-found', `There is no run '${runId}' to sign.`);
  return signHead(headOf(run), { tenant, at, key });
}

/**
 * Signs the heads of the audits of all runs of a tenant, so that the later removal of a run is
 * detected.
 *
 * Runs continue during this time, so each head is from a time after `at`.
 */
export async function signTenantAudit(
  store: Store,
  options: { readonly tenant: string; readonly key: AuditKey },
): Promise<TenantCheckpoint> {
  requireStore('`signTenantAudit`', store);
  checkOptions<typeof options>('`signTenantAudit`', options, { tenant: true, key: true });
  const { tenant, key } = options;
  requireText('`tenant` of `signTenantAudit`', tenant);
  const at = await store.read((tx) => tx.now());
  const heads: AuditHead[] = [];
  for await (const run of allRuns(store, tenant)) heads.push(headOf(run));
  return signHeads(heads, { tenant, at, key });
}

function headOf({ id, auditCount, auditHash }: RunRow): AuditHead {
  return Object.freeze({ runId: id, number: auditCount, hash: auditHash });
}
