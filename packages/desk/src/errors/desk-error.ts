/** What a {@link DeskError} can be about. A code stays what it is; the message is for people. */
export type DeskErrorCode =
  | 'answer-does-not-fit'
  | 'claim-lost'
  | 'conversation-busy'
  | 'hold-settled'
  | 'idempotency-key-reused'
  | 'not-found'
  | 'open-holds'
  | 'outcome-unknown'
  | 'run-ended'
  | 'stale-digest'
  | 'store-busy'
  | 'store-unreachable'
  | 'unknown-agent';

/** The desk cannot do what it was asked for; nothing has changed, unless the code is `outcome-unknown`. */
export class DeskError extends Error {
  override name = 'DeskError';
  /** For programs. */
  readonly code: DeskErrorCode;

  constructor(code: DeskErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
