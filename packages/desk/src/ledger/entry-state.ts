import type { LedgerConflict, LedgerEntryState, LedgerKey } from 'holdpoint/ledger';
import type { EntryRow } from '../model/entry-row.ts';

/** Returns a key as text. It is unique for each key, and every database can store it. */
export function keyText({ step, slot }: LedgerKey): string {
  return JSON.stringify([step, slot]);
}

/** Returns a digest as text that every database can store. */
export function digestText(digest: string | undefined): string | undefined {
  return digest === undefined ? undefined : JSON.stringify(digest);
}

/** Returns the current state of an entry, which depends on its lease. */
export function stateOf(entry: EntryRow, { step, slot }: LedgerKey, now: number): LedgerEntryState {
  const about =
    entry.digest === undefined ? undefined : { digest: String(JSON.parse(entry.digest)) };
  if (entry.state === 'settled') {
    return Object.freeze({ state: 'settled', outcome: entry.outcome ?? null, ...about });
  }
  const { until = 0, attempt = '' } = entry;
  if (entry.state === 'claimed' && now < until) {
    return Object.freeze({ state: 'busy', until, ...about });
  }
  const claim = Object.freeze({ key: Object.freeze({ step, slot }), attempt });
  const { reason = LEASE_RAN_OUT, since = until } = entry;
  return Object.freeze({ state: 'doubt', claim, reason, since, ...about });
}

/** Returns the result of a claim of an existing entry, for a call with this digest. */
export function takenBy(
  entry: EntryRow,
  key: LedgerKey,
  digest: string | undefined,
  now: number,
): LedgerEntryState | LedgerConflict {
  if (digest === undefined || entry.digest === undefined || digest === entry.digest) {
    return stateOf(entry, key, now);
  }
  return Object.freeze({ state: 'conflict', digest: String(JSON.parse(entry.digest)) });
}

const LEASE_RAN_OUT =
  'The lease ended before the call had an outcome. Its worker stopped, or the call is still executing.';
