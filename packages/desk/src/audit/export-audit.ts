import type { AuditRow } from '../model/audit-row.ts';
import { checkOptions, requireText } from '../model/check-keys.ts';
import { requireStore } from '../store/require-store.ts';
import type { Store } from '../store/store.ts';
import { allRuns } from './all-runs.ts';

const PAGE = 500;

/**
 * Yields the audits of all runs of a tenant, one run after the other, for `verifyAudit`. Only one page is in
 * memory.
 */
export async function* exportAudit(
  store: Store,
  options: { readonly tenant: string },
): AsyncGenerator<AuditRow> {
  requireStore('`exportAudit`', store);
  checkOptions<typeof options>('`exportAudit`', options, { tenant: true });
  requireText('`tenant` of `exportAudit`', options.tenant);
  const { tenant } = options;
  for await (const { id } of allRuns(store, tenant)) {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const from: number = after;
      const rows = await store.read((tx) => tx.audit.ofRun(tenant, id, from, PAGE));
      yield* rows;
      after = rows.length < PAGE ? undefined : rows.at(-1)?.number;
    }
  }
}
