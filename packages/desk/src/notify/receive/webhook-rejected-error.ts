/** The reason why a request is not accepted as a webhook of the desk. */
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
  'too-large': 'It is larger than any message of a desk.',
  'not-from-a-desk': 'The signature is valid, but the body is not an event of a desk.',
};

/** A request that is not a webhook of the desk. Respond with 401 or 400, and ignore it. */
export class WebhookRejectedError extends Error {
  override name = 'WebhookRejectedError';
  /** For programs. */
  readonly code: WebhookRejection;

  constructor(code: WebhookRejection) {
    super(`The request is not a webhook of the desk. ${WHY[code]}`);
    this.code = code;
  }
}
