import type { OutboxKind } from '../model/outbox-row.ts';

/** A receiver of webhooks. */
export interface WebhookOptions {
  /**
   * Where events are sent, by `POST`. It comes from whoever runs the desk: an address that users may choose
   * lets them reach what the desk can reach.
   */
  readonly url: string;
  /**
   * `whsec_` and 24 to 64 random bytes in base64. While one is replaced by another, give both: each message
   * is signed with all of them.
   */
  readonly secret: string | readonly string[];
  /** What it is told; everything unless given. */
  readonly kinds?: readonly OutboxKind[] | undefined;
}
