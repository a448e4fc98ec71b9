import type { JsonObject } from 'holdpoint';

/** The kinds of events. */
export const OUTBOX_KINDS = [
  'run-started',
  'run-finished',
  'run-failed',
  'run-cancelled',
  'run-stuck',
  'hold-opened',
  'hold-voted',
  'hold-settled',
  'hold-reopened',
  'hold-escalated',
  'hold-reminder',
  'hold-commented',
  'grant-created',
  'grant-revoked',
] as const;

/** The kind of an event. */
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

/** A stored event. Receivers get it at least once. */
export interface OutboxRow {
  readonly tenant: string;
  readonly id: string;
  readonly runId: string;
  readonly kind: OutboxKind;
  /** Ids and states, without contents. Receivers read the rest from the desk. */
  readonly data: JsonObject;
  readonly at: number;
  readonly deliveredAt?: number | undefined;
  /** The transaction that wrote it, if the store runs several at a time; 0 otherwise. */
  readonly transactionId: number;
  /** Its number among all events; later events of a transaction have higher ones. */
  readonly sequence: number;
}

/** An event to write. The store assigns its position. */
export type NewOutboxRow = Omit<OutboxRow, 'transactionId' | 'sequence'>;
