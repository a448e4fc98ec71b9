import { TamperedError } from '../errors/tampered-error.ts';
import { auditHash } from '../model/audit-chain.ts';
import type { AuditRow } from '../model/audit-row.ts';
import type { GrantRow } from '../model/grant-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { grantHash, holdHash } from '../model/row-hash.ts';
import type { RunRow } from '../model/run-row.ts';
import type { ReadTx } from '../store/store.ts';

/**
 * Returns an error if a hold, its votes or its decisions do not match the last audit entry about it, or
 * if the audit itself was changed since the hold was opened.
 */
export async function tamperedHold(
  tx: ReadTx,
  run: RunRow,
  holds: readonly HoldRow[],
): Promise<TamperedError | undefined> {
  if (holds.length === 0) return undefined;
  const from = Math.min(...holds.map(({ auditFrom = 0 }) => auditFrom));
  const entries = await entriesAfter(tx, run, from);
  if (!isChain(entries, run)) return new TamperedError(`The audit of run '${run.id}' was changed.`);
  for (const hold of holds) {
    const about = entries.filter(({ data }) => data['holdId'] === hold.id);
    if (!(await isAsRecorded(tx, hold, about))) {
      return new TamperedError(`Hold '${hold.id}' is not as the audit of its run says.`);
    }
  }
  return undefined;
}

async function isAsRecorded(
  tx: ReadTx,
  hold: HoldRow,
  about: readonly AuditRow[],
): Promise<boolean> {
  const last = about.findLast(({ data }) => data['hold'] !== undefined);
  // A hold from before rows were covered by the audit has entries, but none of them has a hash.
  if (last === undefined) return about.some(({ kind }) => kind === 'hold-opened');
  const decisions = await tx.decisions.ofHold(hold.tenant, hold.id);
  return last.data['hold'] === holdHash(hold, decisions);
}

/**
 * Returns whether a grant matches its audit entry and was not revoked, by an audit from which no entry was removed and to
 * which none was added.
 */
export async function isGrantAsRecorded(tx: ReadTx, grant: GrantRow): Promise<boolean> {
  const { tenant, runId, id, auditEntry } = grant;
  // Read before the entries: those that are written meanwhile come after its last one.
  const run = await tx.runs.get(tenant, runId);
  if (run === undefined || auditEntry === undefined || auditEntry > run.auditCount) return false;
  const entries = await entriesAfter(tx, run, auditEntry - 1);
  const known = entries.filter(({ number }) => number <= run.auditCount);
  const [made] = known;
  if (made?.kind !== 'grant-created' || !isChain(known, run)) return false;
  const isRevoked = entries.some(
    ({ kind, data }) => kind === 'grant-revoked' && data['grantId'] === id,
  );
  const { data } = made;
  return !isRevoked && data['grantId'] === id && data['grant'] === grantHash(grant);
}

const PAGE = 1_000;

async function entriesAfter(
  tx: ReadTx,
  { tenant, id }: Pick<RunRow, 'tenant' | 'id'>,
  after: number,
): Promise<readonly AuditRow[]> {
  const entries: AuditRow[] = [];
  for (;;) {
    const page = await tx.audit.ofRun(tenant, id, entries.at(-1)?.number ?? after, PAGE);
    entries.push(...page);
    if (page.length < PAGE) return entries;
  }
}

/** Returns whether each entry follows from the one before it, up to the head that the run names. */
function isChain(entries: readonly AuditRow[], { auditCount, auditHash: head }: RunRow): boolean {
  const last = entries.at(-1);
  if (last?.number !== auditCount || last.hash !== head) return false;
  return entries.every((entry, index) => {
    const before = entries[index - 1];
    const follows =
      before === undefined ||
      (entry.previous === before.hash && entry.number === before.number + 1);
    return follows && entry.hash === auditHash(entry);
  });
}
