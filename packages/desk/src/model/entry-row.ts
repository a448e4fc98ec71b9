import type { JsonValue } from 'holdpoint';

/** An entry of the ledger. */
export interface EntryRow {
  readonly tenant: string;
  /** The step and the slot, as JSON text. They come from stored histories and may contain any characters. */
  readonly key: string;
  readonly state: 'claimed' | 'in-doubt' | 'settled';
  /** The attempt that claimed it; `undefined` if a person supplied the outcome without an execution. */
  readonly attempt?: string | undefined;
  /** The run for which it was claimed. */
  readonly runId?: string | undefined;
  /** The time at which the lease ends. */
  readonly until?: number | undefined;
  /** The time since which the call is in doubt, and the reason. */
  readonly since?: number | undefined;
  readonly reason?: string | undefined;
  readonly outcome?: JsonValue | undefined;
  /** As JSON text, which may contain any characters. */
  readonly digest?: string | undefined;
  readonly changedAt: number;
}
