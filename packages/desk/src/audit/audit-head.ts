import { createHash } from 'node:crypto';
import { canonicalJson } from 'holdpoint/ledger';

/** The end of the audit of a run: the number of its entries, and the hash of the last one. */
export interface AuditHead {
  readonly runId: string;
  readonly number: number;
  readonly hash: string;
}

/** Sorts heads by the ids of their runs, which is the order of the hash. */
export function sortHeads(heads: Iterable<AuditHead>): readonly AuditHead[] {
  const sorted = [...heads].toSorted((one, other) => (one.runId < other.runId ? -1 : 1));
  return Object.freeze(sorted);
}

/** Returns the SHA-256 over sorted heads: one line of canonical JSON for each. */
export function hashHeads(heads: readonly AuditHead[]): string {
  const hash = createHash('sha256').update('holdpoint/audit-heads/1\n');
  for (const { runId, number, hash: last } of heads) {
    hash.update(`${canonicalJson([runId, number, last])}\n`);
  }
  return hash.digest('hex');
}
