/** Why a request is not taken for a webhook of the desk. */
export type RefusedWebhook =
  | 'unsigned'
  | 'too-old'
  | 'wrong-signature'
  | 'too-large'
  | 'not-from-a-desk';

const WHY: Readonly<Record<RefusedWebhook, string>> = {
  unsigned: 'It has no signature.',
  'too-old': 'It was sent more than five minutes ago, or the clocks differ.',
  'wrong-signature': 'It is signed with another secret, or was changed on the way.',
  'too-large': 'It is larger than what a desk sends.',
  'not-from-a-desk': 'It is signed, and not what a desk sends.',
};

/** A request is no webhook of the desk: answer it with 401 or 400, and do nothing. */
export class WebhookRefusedError extends Error {
  override name = 'WebhookRefusedError';
  /** For programs. */
  readonly code: RefusedWebhook;

  constructor(code: RefusedWebhook) {
    super(`This is no webhook of the desk. ${WHY[code]}`);
    this.code = code;
  }
}
