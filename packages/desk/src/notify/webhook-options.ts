import type { OutboxKind } from '../model/outbox-row.ts';

/** A receiver of webhooks. */
export interface WebhookOptions {
  /**
   * The address that receives events by `POST`. Only the operator may choose it: an address of a user would let them
   * reach everything that the desk can reach.
   */
  readonly url: string;
  /**
   * `whsec_` and 24 to 64 random bytes in base64. While one replaces another, pass both: each message
   * is signed with all of them.
   */
  readonly secret: string | readonly string[];
  /** The kinds of events that it receives; all by default. */
  readonly kinds?: readonly OutboxKind[] | undefined;
}
