import { AgentError } from './agent-error.ts';
import type { ErrorCode, UserErrorCode } from './error-code.ts';

/** The framework was used in a way that cannot work; the message says what to change. */
export class UserError extends AgentError {
  override name = 'UserError';
  /** `user-error`, unless a program may want to tell it apart. */
  readonly code: ErrorCode;

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly code?: UserErrorCode | undefined } = {},
  ) {
    super(message, options);
    this.code = options.code ?? 'user-error';
  }
}
