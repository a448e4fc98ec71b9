import { AgentError } from './agent-error.ts';

/** The model kept doing something that the run cannot go on from, such as failing a tool beyond its retries. */
export class UnexpectedModelBehavior extends AgentError {
  override name = 'UnexpectedModelBehavior';
  readonly code = 'unexpected-model-behavior';
}
