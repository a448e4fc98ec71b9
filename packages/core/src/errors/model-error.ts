import { AgentError } from './agent-error.ts';

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
