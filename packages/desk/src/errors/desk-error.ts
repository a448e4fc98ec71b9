/** The codes of a {@link DeskError}. Codes are stable; messages are for people and may change. */
export type DeskErrorCode =
  | 'already-voted'
  | 'arguments-do-not-fit'
  | 'decision-does-not-fit'
  | 'claim-lost'
  | 'comment-does-not-fit'
  | 'conversation-busy'
  | 'decision-expired'
  | 'delegation-does-not-fit'
  | 'edit-does-not-fit'
  | 'hold-settled'
  | 'idempotency-key-reused'
  | 'input-does-not-fit'
  | 'may-not-decide'
  | 'link-ended'
  | 'not-found'
  | 'open-holds'
  | 'outcome-unknown'
  | 'grant-does-not-fit'
  | 'request-claimed'
  | 'request-lost'
  | 'request-not-approved'
  | 'run-ended'
  | 'stale-digest'
  | 'stale-edit'
  | 'store-busy'
  | 'store-unreachable'
  | 'tampered'
  | 'unknown-agent'
  | 'unknown-tool';

/** An operation that the desk rejected. Nothing has changed, unless the code is `outcome-unknown`. */
export class DeskError extends Error {
  override name = 'DeskError';
  /** For programs. */
  readonly code: DeskErrorCode;

  constructor(code: DeskErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
