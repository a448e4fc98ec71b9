import type { JsonObject, JsonValue } from '../messages/json.ts';
import type { RetryPromptPart } from '../messages/request-part.ts';
import { ModelRetry, ToolFailed, ToolReturn } from '../tools/signals.ts';

/** Says that a call may run. */
export class ToolApproved {
  readonly kind = 'tool-approved';
  /** Arguments to run the call with, instead of those that the model sent. */
  readonly overrideArgs: JsonObject | undefined;

  constructor(options: { readonly overrideArgs?: JsonObject | undefined } = {}) {
    this.overrideArgs = options.overrideArgs;
  }
}

/** Says that a call must not run; the model is told so. */
export class ToolDenied {
  readonly kind = 'tool-denied';
  /** What the model is told. */
  readonly message: string;

  constructor(message = 'The tool call was denied.') {
    this.message = message;
  }
}

/** An answer to a call that needs approval. */
export type ApprovalAnswer = boolean | ToolApproved | ToolDenied;

/**
 * An answer to a call whose result comes from somewhere else: the result itself, a `ToolReturn` with
 * more to it, `ModelRetry` or a retry prompt to have the model try again, or `ToolFailed`.
 */
export type CallAnswer = JsonValue | ToolReturn | ModelRetry | ToolFailed | RetryPromptPart;

/** An answer in the one form that the run works with. */
export type Answer =
  | ToolApproved
  | ToolDenied
  | ToolReturn<unknown>
  | ModelRetry
  | ToolFailed
  | RetryPromptPart;

/** An answer to an approval, in the one form. */
export function toApprovalAnswer(answer: ApprovalAnswer): ToolApproved | ToolDenied {
  if (answer === true) return new ToolApproved();
  return answer === false ? new ToolDenied() : answer;
}

/** An answer to an external call, in the one form: a plain value becomes a `ToolReturn`. */
export function toCallAnswer(answer: unknown): Answer {
  if (answer instanceof ToolReturn) return answer;
  if (answer instanceof ModelRetry || answer instanceof ToolFailed) return answer;
  return isRetryPrompt(answer) ? answer : new ToolReturn({ returnValue: answer });
}

/** Whether a value is a retry prompt and not a tool's result that looks a little like one. */
export function isRetryPrompt(value: unknown): value is RetryPromptPart {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, content } = value as { kind?: unknown; content?: unknown };
  return kind === 'retry-prompt' && (typeof content === 'string' || Array.isArray(content));
}
