import type { ErrorCode } from './error-code.ts';

/**
 * The base class of all errors of Holdpoint.
 *
 * Errors that a tool, a model or a handler throws are rethrown unchanged and are not wrapped in this class.
 */
export abstract class AgentError extends Error {
  /** The stable identifier of the error, and the name of its section in `docs/errors.md`. */
  abstract readonly code: ErrorCode;

  /** Returns name, code and message. The cause and other fields are left out, because they may be confidential. */
  toJSON(): { readonly name: string; readonly code: ErrorCode; readonly message: string } {
    return { name: this.name, code: this.code, message: this.message };
  }
}

/** A request, tool call or token would exceed the run's {@link UsageLimits}. It was not made. */
export class UsageLimitExceeded extends AgentError {
  override name = 'UsageLimitExceeded';
  readonly code = 'usage-limit-exceeded';
}
