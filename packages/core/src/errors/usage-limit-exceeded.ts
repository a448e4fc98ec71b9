import { AgentError } from './agent-error.ts';

/** The next request, tool call or token would go beyond the run's {@link UsageLimits}; it was not made. */
export class UsageLimitExceeded extends AgentError {
  override name = 'UsageLimitExceeded';
  readonly code = 'usage-limit-exceeded';
}
