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
  'grant-made',
  'grant-revoked',
] as const;

/** What others can be told about. */
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

/** Something that happened, to be told to others at least once. */
export interface OutboxRow {
  readonly tenant: string;
  readonly id: string;
  readonly runId: string;
  readonly kind: OutboxKind;
  /** Ids and states, no contents: whoever is told asks the desk for more. */
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
