import { AgentError } from './agent-error.ts';
import { messageOf } from './thrown.ts';

/** Every model of a fallback failed. */
export class FallbackModelsError extends AgentError {
  override name = 'FallbackModelsError';
  readonly code = 'all-models-failed';
  /** What each model failed with, in the order in which they were asked. */
  readonly errors: readonly unknown[];

  constructor(failures: readonly { readonly modelName: string; readonly error: unknown }[]) {
    const list = failures.map(({ modelName, error }) => {
      return `- ${modelName}: ${messageOf(error)}`;
    });
    super(
      `All ${failures.length} models failed. See to one of them, or name another:\n${list.join('\n')}`,
    );
    this.errors = failures.map(({ error }) => error);
  }
}
