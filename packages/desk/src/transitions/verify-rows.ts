import { isDeepStrictEqual } from 'node:util';
import { TamperedError } from '../errors/tampered-error.ts';
import { auditHash } from '../model/audit-chain.ts';
import type { AuditRow } from '../model/audit-row.ts';
import type { GrantRow } from '../model/grant-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import { grantHash, holdHash } from '../model/row-hash.ts';
import type { RunRow } from '../model/run-row.ts';
import type { ReadTx } from '../store/store.ts';

/**
 * Returns an error if a hold, its votes or its decisions do not match its last audit entry, or if
 * the audit was changed since the hold was opened.
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
    if (!isConsistent(hold, run, about)) {
      return new TamperedError(`Hold '${hold.id}' does not fit its run, or its first audit entry.`);
    }
    if (!(await isAsRecorded(tx, hold, about))) {
      return new TamperedError(`Hold '${hold.id}' is not as the audit of its run says.`);
    }
  }
  return undefined;
}

/**
 * Returns whether the facts that the hash of a hold does not contain are those of its audit entries and its outcome, and
 * whether the run still has the agent and the requester for whom the hold was opened.
 */
function isConsistent(hold: HoldRow, run: RunRow, about: readonly AuditRow[]): boolean {
  const { state, outcome = 'open', createdAt, agent, requester, conversationId } = hold;
  const opened = about.find(({ kind }) => kind === 'hold-opened');
  if (state !== outcome || createdAt !== opened?.at) return false;
  return isDeepStrictEqual(
    toJson({ agent, requester, conversationId }),
    toJson({ agent: run.agent, requester: run.requester, conversationId: run.conversationId }),
  );
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

/** Returns the grant that decided a hold; `undefined` if it was revoked or removed. Throws if its row was changed. */
export async function decidingGrant(
  tx: ReadTx,
  tenant: string,
  grantId: string,
): Promise<GrantRow | undefined> {
  const grant = await tx.grants.get(tenant, grantId);
  if (grant === undefined || grant.revokedAt !== undefined) return undefined;
  if (await isGrantAsRecorded(tx, grant)) return grant;
  throw tamperedGrant(grant);
}

/** Returns the error for a grant that does not match the audit. */
export function tamperedGrant({ id }: GrantRow): TamperedError {
  return new TamperedError(`Grant '${id}' is not as the audit of its run says.`);
}

/**
 * Returns whether a grant matches its audit entry and was not revoked. The audit must be complete,
 * without added or removed entries.
 */
export async function isGrantAsRecorded(tx: ReadTx, grant: GrantRow): Promise<boolean> {
  const { tenant, runId, id, auditEntry } = grant;
  // The head is read before the entries, so entries that are written at this time follow it.
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

/** Returns whether each entry follows from the previous one, up to the head that the run names. */
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
