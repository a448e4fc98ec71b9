import type { ErrorCode } from './error-code.ts';

/**
 * The base of every error that Holdpoint throws on its own account.
 *
 * What a tool, a model or a handler throws is passed on unchanged and is not wrapped in this class.
 */
export abstract class AgentError extends Error {
  /** A stable identifier for programs, and the name of the section of `docs/errors.md` about it. */
  abstract readonly code: ErrorCode;

  /**
   * What JSON keeps of the error. The cause and further fields stay here: they can hold what is not for
   * everybody.
   */
  toJSON(): { readonly name: string; readonly code: ErrorCode; readonly message: string } {
    return { name: this.name, code: this.code, message: this.message };
  }
}

/** The next request, tool call or token would go beyond the run's {@link UsageLimits}; it was not made. */
export class UsageLimitExceeded extends AgentError {
  override name = 'UsageLimitExceeded';
  readonly code = 'usage-limit-exceeded';
}
