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
  'grant-created',
  'grant-revoked',
] as const;

/** The kind of an event. */
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

/** An event as it is stored. Receivers get it at least once. */
export interface OutboxRow {
  readonly tenant: string;
  readonly id: string;
  readonly runId: string;
  readonly kind: OutboxKind;
  /** Ids and states, without contents: receivers ask the desk for more. */
  readonly data: JsonObject;
  readonly at: number;
  readonly deliveredAt?: number | undefined;
  /** The transaction that wrote it, if the store runs several at a time; 0 otherwise. */
  readonly transactionId: number;
  /** Its number among all events; later events of a transaction have higher ones. */
  readonly sequence: number;
}

/** An event that is to be written. The store gives it its place among the others. */
export type NewOutboxRow = Omit<OutboxRow, 'transactionId' | 'sequence'>;
