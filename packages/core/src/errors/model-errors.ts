import { AgentError } from './agent-errors.ts';
import { messageOf } from './thrown.ts';

/** A model could not be reached, or its provider answered with an error. */
export class ModelError extends AgentError {
  override name = 'ModelError';
  readonly code = 'model-error';
  /** The HTTP status that the provider answered with; `undefined` when there was no answer. */
  readonly status: number | undefined;
  /** The name of the model that was asked. */
  readonly modelName: string;

  constructor(
    message: string,
    details: { modelName: string; status?: number | undefined; cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.modelName = details.modelName;
    this.status = details.status;
  }
}

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

/** The model kept doing something that the run cannot go on from, such as failing a tool beyond its retries. */
export class UnexpectedModelBehavior extends AgentError {
  override name = 'UnexpectedModelBehavior';
  readonly code = 'unexpected-model-behavior';
}
