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

/**
 * The base class of all errors of Holdpoint.
 *
 * Errors that a tool, a model or a handler throws are rethrown unchanged and are not wrapped in this class.
 */
export abstract class AgentError extends Error {
  /** The stable identifier of the error, and the name of its section in `docs/errors.md`. */
  abstract readonly code: ErrorCode;

  /**
   * Returns name, code and message. It omits the cause and other fields, because they may be
   * confidential.
   */
  toJSON(): { readonly name: string; readonly code: ErrorCode; readonly message: string } {
    return { name: this.name, code: this.code, message: this.message };
  }
}

/** A request, tool call or token would exceed the run's {@link UsageLimits}. It was not made. */
export class UsageLimitExceeded extends AgentError {
  override name = 'UsageLimitExceeded';
  readonly code = 'usage-limit-exceeded';
}

/** A call cannot execute or settle because of its ledger entry, or because the ledger failed. */
export class LedgerError extends AgentError {
  override name = 'LedgerError';
  readonly code: LedgerErrorCode;
  readonly toolCallId: string | undefined;
  /** The outcome of a call that executed but could not be settled. */
  readonly outcome: unknown;

  constructor(
    code: LedgerErrorCode,
    message: string,
    more: { toolCallId?: string | undefined; outcome?: unknown; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.toolCallId = more.toolCallId;
    this.outcome = more.outcome;
  }
}
