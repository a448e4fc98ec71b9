import { AgentError } from './agent-errors.ts';
import { messageOf } from './thrown.ts';

/** A model could not be reached, or its provider returned an error. */
export class ModelError extends AgentError {
  override name = 'ModelError';
  readonly code = 'model-error';
  /** The HTTP status of the response; `undefined` without a response. */
  readonly status: number | undefined;
  /** The name of the model. */
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

/** All models of a fallback failed. */
export class FallbackModelsError extends AgentError {
  override name = 'FallbackModelsError';
  readonly code = 'all-models-failed';
  /** The error of each model, in the order of the requests. */
  readonly errors: readonly unknown[];

  constructor(failures: readonly { readonly modelName: string; readonly error: unknown }[]) {
    const list = failures.map(({ modelName, error }) => {
      return `- ${modelName}: ${messageOf(error)}`;
    });
    super(
      `All ${failures.length} models failed. Check their errors, or pass another model:\n${list.join('\n')}`,
    );
    this.errors = failures.map(({ error }) => error);
  }
}

/** The model behaved in a way that ends the run, such as failing a tool more often than its retries allow. */
export class UnexpectedModelBehavior extends AgentError {
  override name = 'UnexpectedModelBehavior';
  readonly code = 'unexpected-model-behavior';
}
