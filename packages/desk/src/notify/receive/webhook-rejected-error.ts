/** Why a request is not taken for a webhook of the desk. */
export type WebhookRejection =
  | 'unsigned'
  | 'too-old'
  | 'wrong-signature'
  | 'too-large'
  | 'not-from-a-desk';

const WHY: Readonly<Record<WebhookRejection, string>> = {
  unsigned: 'It has no signature.',
  'too-old': 'It was sent more than five minutes ago, or the clocks differ.',
  'wrong-signature': 'It is signed with another secret, or was changed on the way.',
  'too-large': 'It is larger than what a desk sends.',
  'not-from-a-desk': 'It is signed, and not what a desk sends.',
};

/** A request that is not a webhook of the desk. Respond with 401 or 400, and ignore it. */
export class WebhookRejectedError extends Error {
  override name = 'WebhookRejectedError';
  /** For programs. */
  readonly code: WebhookRejection;

  constructor(code: WebhookRejection) {
    super(`This is no webhook of the desk. ${WHY[code]}`);
    this.code = code;
  }
}
