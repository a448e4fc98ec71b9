/**
 * The codes of all errors of Holdpoint, including those of its other entry points.
 *
 * A code is stable; a message may change. Each code is the name of a section of `docs/errors.md`.
 */
export type ErrorCode =
  | UserErrorCode
  | LedgerErrorCode
  | 'all-models-failed'
  | 'already-resumed'
  | 'invalid-json'
  | 'ledger-fault'
  | 'mcp-server-failed'
  | 'model-error'
  | 'past-the-gate'
  | 'invalid-results'
  | 'replay-mismatch'
  | 'sealed-run-rejected'
  | 'missing-results'
  | 'unexpected-model-behavior'
  | 'usage-limit-exceeded';

/** The codes of a {@link UserError}: `user-error`, or a more specific code. */
export type UserErrorCode =
  | 'user-error'
  | 'cannot-park'
  | 'missing-package'
  | 'nothing-pending'
  | 'pending-calls';

/** The codes of a {@link LedgerError}. */
export type LedgerErrorCode =
  | 'broken-entry'
  | 'call-busy'
  | 'outcome-not-settled'
  | 'step-forgotten';
