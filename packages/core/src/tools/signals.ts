import { UserError } from '../errors/user-error.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { JsonObject } from '../messages/json.ts';

/** Thrown by a tool, a validator or an output function: the model is told why and may try again. */
export class ModelRetry extends Error {
  override name = 'ModelRetry';
}

/** Thrown by a tool: the call failed and the model is told; it does not count as a retry. */
export class ToolFailed extends Error {
  override name = 'ToolFailed';
}

/**
 * Thrown by a tool, its validator or a hook: the call may run once somebody approves it.
 *
 * When the call runs after all, `ctx.toolCallApproved` is set.
 */
export class ApprovalRequired extends Error {
  override name = 'ApprovalRequired';
  /** For whoever answers; the model does not see it. */
  readonly metadata: JsonObject | undefined;

  constructor(metadata?: JsonObject) {
    super('This tool call needs approval.');
    this.metadata = metadata;
  }
}

/** Thrown by a tool, its validator or a hook: the result of the call comes from somewhere else, later. */
export class CallDeferred extends Error {
  override name = 'CallDeferred';
  /** For whoever answers; the model does not see it. */
  readonly metadata: JsonObject | undefined;

  constructor(metadata?: JsonObject) {
    super('The result of this tool call comes from somewhere else.');
    this.metadata = metadata;
  }
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
