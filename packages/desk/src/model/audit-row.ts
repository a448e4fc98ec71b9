import type { JsonObject } from 'holdpoint';
import type { Person } from './person.ts';

/** The kinds of entries in the audit of a run. */
export type AuditKind =
  | 'run-started'
  | 'run-claimed'
  | 'run-parked'
  | 'run-released'
  | 'run-retried'
  | 'run-stuck'
  | 'run-finished'
  | 'run-failed'
  | 'run-cancelled'
  | 'message-received'
  | 'message-dropped'
  | 'hold-opened'
  | 'hold-voted'
  | 'hold-decided'
  | 'hold-granted'
  | 'hold-shadowed'
  | 'hold-reopened'
  | 'hold-escalated'
  | 'hold-reminded'
  | 'hold-commented'
  | 'hold-expired'
  | 'hold-superseded'
  | 'hold-cancelled'
  | 'link-created'
  | 'link-used'
  | 'link-revoked'
  | 'webhook-given-up'
  | 'notification-given-up'
  | 'expiry-given-up'
  | 'grant-created'
  | 'grant-revoked'
  | 'call-started'
  | 'call-settled'
  | 'call-in-doubt'
  | 'call-resolved'
  | 'call-recorded'
  | 'task-replayed'
  | 'task-discarded'
  | 'data-erased';

/** An entry of the audit of a run. Entries are only added; the person in an entry can be erased. */
export interface AuditRow {
  readonly tenant: string;
  readonly runId: string;
  /** From 1 on, without gaps. */
  readonly number: number;
  readonly at: number;
  readonly kind: AuditKind;
  /** The person who caused it, if it was a person and was not erased. */
  readonly by?: Person | undefined;
  /** The salt of the commitment to the person; absent if no person caused it, or the person was erased. */
  readonly salt?: string | undefined;
  /**
   * Ids, digests and hashes; no arguments, results or texts of people. `person` is a hash of the person and the salt:
   * without the salt, nothing about the person can be guessed from it.
   */
  readonly data: JsonObject;
  /** The hash of the entry before; empty for the first. */
  readonly previous: string;
  readonly hash: string;
}
