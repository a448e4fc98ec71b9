import { UserError } from '../errors/user-error.ts';
import type { UserPrompt } from '../messages/content.ts';

/** Thrown by a tool, a validator or an output function: the model is told why and may try again. */
export class ModelRetry extends Error {
  override name = 'ModelRetry';
}

/** Thrown by a tool: the call failed and the model is told; it does not count as a retry. */
export class ToolFailed extends Error {
  override name = 'ToolFailed';
}

/** What a tool returns when there is more to say than a value. */
export class ToolReturn<Value = unknown> {
  /** The result of the call. */
  readonly returnValue: Value;
  /** Shown to the model as if a person had sent it, after the results of the step. */
  readonly content: UserPrompt | undefined;
  /** For the application; the model does not see it. */
  readonly metadata: unknown;
  /** Names of tools that the model can use from here on. */
  readonly tools: readonly string[] | undefined;

  constructor(options: {
    returnValue: Value;
    content?: UserPrompt | undefined;
    metadata?: unknown;
    tools?: readonly string[] | undefined;
  }) {
    this.returnValue = options.returnValue;
    this.content = options.content;
    this.metadata = options.metadata;
    this.tools = options.tools;
  }

  /** A `ToolReturn` is what a tool returns, never a part of it. */
  toJSON(): never {
    throw new UserError(
      'A ToolReturn is inside another value. Return it directly, with everything in its returnValue.',
    );
  }
}
