/** The state of a delivery. */
export type DeliveryState = 'pending' | 'delivered' | 'given-up';

/** An event on its way to one receiver of webhooks. */
export interface DeliveryRow {
  readonly tenant: string;
  /** The id of the outbox row, which is the id of the message. */
  readonly eventId: string;
  /** The receiver: the beginning of the hash of its address, because an address may contain a secret. */
  readonly receiver: string;
  /** The host of the receiver, for people. */
  readonly host: string;
  readonly state: DeliveryState;
  /** The number of attempts. */
  readonly attempts: number;
  /** The problem of the last attempt. */
  readonly problem?: string | undefined;
  readonly createdAt: number;
  readonly changedAt: number;
}
