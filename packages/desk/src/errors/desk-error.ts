/** What a {@link DeskError} can be about. A code stays what it is; the message is for people. */
export type DeskErrorCode =
  | 'already-voted'
  | 'answer-does-not-fit'
  | 'claim-lost'
  | 'conversation-busy'
  | 'decision-lapsed'
  | 'edit-does-not-fit'
  | 'hold-settled'
  | 'idempotency-key-reused'
  | 'may-not-answer'
  | 'link-ended'
  | 'not-found'
  | 'open-holds'
  | 'outcome-unknown'
  | 'remember-does-not-fit'
  | 'run-ended'
  | 'stale-digest'
  | 'stale-edit'
  | 'store-busy'
  | 'store-unreachable'
  | 'tampered'
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
