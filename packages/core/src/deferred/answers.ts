import { checkOptions, checkRequiredOptions, type OptionTable } from '../errors/check-options.ts';
import type { CallApproval } from '../messages/call-approval.ts';
import type { JsonObject, JsonValue } from '../messages/json.ts';
import type { RetryPromptPart } from '../messages/request-part.ts';
import { ModelRetry, ToolFailed, ToolReturn } from '../tools/signals.ts';

/**
 * What an approver was shown before they confirmed edited arguments, as `requests.checkEdit` returned it.
 *
 * The call executes only if its validated arguments and its preview are still equal to this. Otherwise it is
 * requested again.
 */
export interface ShownEdit {
  /** The validated arguments in their JSON form. */
  readonly args: JsonValue;
  readonly preview?: JsonValue | undefined;
}

/** Options of {@link ToolApproved}. */
export interface ToolApprovedOptions {
  /** Arguments to execute the call with, in place of those that the model sent. */
  readonly overrideArgs?: JsonObject | undefined;
  /** The approvers of the call, for `ctx.approval`. */
  readonly approval?: CallApproval | undefined;
  /** The reason of the approver, for `ctx.approval.reason`. The model does not see it. */
  readonly reason?: string | undefined;
  /** What the approver was shown for the edited arguments. */
  readonly shown?: ShownEdit | undefined;
}

/** Values are validated together with everything else about a decision, before a call executes. */
const APPROVED_OPTIONS: OptionTable<ToolApprovedOptions> = {
  overrideArgs: 'any',
  approval: 'any',
  reason: 'any',
  shown: 'any',
};

/** Says that a call may run. */
export class ToolApproved {
  readonly kind = 'tool-approved';
  /** Arguments to run the call with, instead of those that the model sent. */
  readonly overrideArgs: JsonObject | undefined;
  /** Who has approved it, for `ctx.approval`. */
  readonly approval: CallApproval | undefined;
  /** The reason of the approver, for `ctx.approval.reason`. */
  readonly reason: string | undefined;
  /** What the approver was shown for the edited arguments; see {@link ShownEdit}. */
  readonly shown: ShownEdit | undefined;

  /** Takes options only. Edited arguments belong into `overrideArgs`. */
  constructor(options: ToolApprovedOptions = {}) {
    const edit = (name: string) => `Did you mean \`overrideArgs: { ${name}: … }\`?`;
    checkOptions('`ToolApproved`', options, APPROVED_OPTIONS, edit);
    this.overrideArgs = options.overrideArgs;
    this.approval = options.approval;
    this.reason = options.reason;
    this.shown = options.shown;
  }
}

/** Returns the approvers and their reason, for `ctx.approval`; `undefined` if the decision contains neither. */
export function approvalOf({ approval, reason }: ToolApproved): CallApproval | undefined {
  return reason === undefined ? approval : Object.freeze({ by: [], ...approval, reason });
}

/** Options of {@link ToolDenied}. */
export interface ToolDeniedOptions {
  /** The text that the model gets. */
  readonly message?: string | undefined;
}

const DENIED_OPTIONS: OptionTable<ToolDeniedOptions> = { message: 'any' };

/** Says that a call must not run; the model is told so. */
export class ToolDenied {
  readonly kind = 'tool-denied';
  /** What the model is told. */
  readonly message: string;

  /** Takes the message, or an object with the option `message`. */
  constructor(message: string | ToolDeniedOptions = {}) {
    this.message = messageOf(message) ?? 'The tool call was denied.';
  }
}

function messageOf(given: string | ToolDeniedOptions): string | undefined {
  if (typeof given !== 'object') return given;
  checkOptions('`ToolDenied`', given, DENIED_OPTIONS);
  return given.message;
}

/** Why there is no answer: nobody gave one in time, or a newer message came first. */
export type UnansweredReason = 'expired' | 'superseded';

/** Options of {@link ToolUnanswered}. */
export interface ToolUnansweredOptions {
  readonly reason: UnansweredReason;
  readonly message?: string | undefined;
}

const UNANSWERED_OPTIONS: OptionTable<ToolUnansweredOptions> = {
  reason: 'any',
  message: 'any',
};

/**
 * Says that there will be no answer to a call: it never runs, and the model is told so. That is neither
 * an approval nor a denial, and the result has an outcome of its own, which is the reason.
 */
export class ToolUnanswered {
  readonly kind = 'tool-unanswered';
  /** Why there is none; also the outcome of the result. */
  readonly reason: UnansweredReason;
  /** What the model is told; without it a sentence that fits the reason and the call. */
  readonly message: string | undefined;

  constructor(options: ToolUnansweredOptions) {
    checkRequiredOptions('`ToolUnanswered`', options, UNANSWERED_OPTIONS);
    this.reason = options.reason;
    this.message = options.message;
  }
}

/** An answer to a call that needs approval. */
export type ApprovalAnswer = boolean | ToolApproved | ToolDenied | ToolUnanswered;

/**
 * An answer to a call whose result comes from somewhere else: the result itself, a `ToolReturn` with
 * more to it, `ModelRetry` or a retry prompt to have the model try again, `ToolFailed`, or
 * `ToolUnanswered` if there will be none.
 */
export type CallAnswer =
  | JsonValue
  | ToolReturn
  | ModelRetry
  | ToolFailed
  | RetryPromptPart
  | ToolUnanswered;

/** An answer in the one form that the run works with. */
export type Answer =
  | ToolApproved
  | ToolDenied
  | ToolUnanswered
  | ToolReturn<unknown>
  | ModelRetry
  | ToolFailed
  | RetryPromptPart;

/** An answer to an approval, in the one form. */
export function toApprovalAnswer(
  answer: ApprovalAnswer,
): ToolApproved | ToolDenied | ToolUnanswered {
  if (answer === true) return new ToolApproved();
  return answer === false ? new ToolDenied() : answer;
}

/** An answer to an external call, in the one form: a plain value becomes a `ToolReturn`. */
export function toCallAnswer(answer: unknown): Answer {
  if (answer instanceof ToolReturn || answer instanceof ToolUnanswered) return answer;
  if (answer instanceof ModelRetry || answer instanceof ToolFailed) return answer;
  return isRetryPrompt(answer) ? answer : new ToolReturn({ returnValue: answer });
}

/** Whether a value is a retry prompt and not a tool's result that looks a little like one. */
export function isRetryPrompt(value: unknown): value is RetryPromptPart {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, content } = value as { kind?: unknown; content?: unknown };
  return kind === 'retry-prompt' && (typeof content === 'string' || Array.isArray(content));
}
