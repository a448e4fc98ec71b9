import { AgentError } from './agent-error.ts';

/** The framework was used in a way that cannot work; the message says what to change. */
export class UserError extends AgentError {
  override name = 'UserError';
  readonly code: string = 'user_error';
}
