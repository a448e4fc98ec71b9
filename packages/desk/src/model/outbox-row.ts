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
}
