/**
 * The codes of all errors of Holdpoint, also of those in its further exports.
 *
 * A code stays what it is; the message is for people and may change. Each code is the name of a section of
 * `docs/errors.md`: what happened, and what to do about it.
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
  | 'refused-answers'
  | 'replay-mismatch'
  | 'sealed-run-rejected'
  | 'unanswered-calls'
  | 'unexpected-model-behavior'
  | 'usage-limit-exceeded';

/** What a {@link UserError} can be about: `user-error`, or what a program may want to tell apart. */
export type UserErrorCode =
  | 'user-error'
  | 'cannot-park'
  | 'missing-package'
  | 'nothing-waits'
  | 'open-calls';

/** What a {@link LedgerError} can be about. */
export type LedgerErrorCode =
  | 'broken-entry'
  | 'call-busy'
  | 'outcome-not-settled'
  | 'step-forgotten';
