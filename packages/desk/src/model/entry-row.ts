import type { JsonValue } from 'holdpoint';

/** An entry of the ledger. */
export interface EntryRow {
  readonly tenant: string;
  /** Step and slot, as one JSON text: they come from stored histories, and may hold anything. */
  readonly key: string;
  readonly state: 'claimed' | 'in-doubt' | 'settled';
  /** The attempt that claimed it; `undefined` if a person supplied the outcome without an execution. */
  readonly attempt?: string | undefined;
  /** The run for which it was claimed. */
  readonly runId?: string | undefined;
  /** When the lease ends. */
  readonly until?: number | undefined;
  /** Since when it is doubted, and why. */
  readonly since?: number | undefined;
  readonly reason?: string | undefined;
  readonly outcome?: JsonValue | undefined;
  /** As JSON text: it may hold anything, too. */
  readonly digest?: string | undefined;
  readonly changedAt: number;
}
