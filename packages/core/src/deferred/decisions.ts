import { type OptionTable, checkOptions } from '../errors/check-options.ts';
import type { CallApproval } from '../messages/call-details.ts';
import type { JsonObject, JsonValue } from '../internal/json.ts';
import type { RetryPromptPart } from '../messages/request-part.ts';
import { ModelRetry, ToolFailed, ToolReturn } from '../tools/signals.ts';

/**
 * An edited call as an approver was shown it before they confirmed it: the result of `checkEdit`.
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
  /** The edited call as the approver was shown it. */
  readonly shown?: ShownEdit | undefined;
}

/** Values are validated together with everything else about a decision, before a call executes. */
const APPROVED_OPTIONS: OptionTable<ToolApprovedOptions> = {
  overrideArgs: 'any',
  approval: 'any',
  reason: 'any',
  shown: 'any',
};

/** Approves a call, with edited arguments if `overrideArgs` is set. */
export class ToolApproved {
  readonly kind = 'approve';
  /** Arguments to execute the call with, in place of those that the model sent. */
  readonly overrideArgs: JsonObject | undefined;
  /** The approvers of the call, for `ctx.approval`. */
  readonly approval: CallApproval | undefined;
  /** The reason of the approver, for `ctx.approval.reason`. */
  readonly reason: string | undefined;
  /** The edited call as the approver was shown it; see {@link ShownEdit}. */
  readonly shown: ShownEdit | undefined;

  /** Takes options only. Edited arguments belong into `overrideArgs`. */
  constructor(options?: ToolApprovedOptions) {
    const edit = (name: string) => `Did you mean \`overrideArgs: { ${name}: … }\`?`;
    checkOptions('`ToolApproved`', options, APPROVED_OPTIONS, edit);
    this.overrideArgs = options?.overrideArgs;
    this.approval = options?.approval;
    this.reason = options?.reason;
    this.shown = options?.shown;
  }
}

/** Supplies the input for the question of a call: the call executes with the value, in `ctx.input`. */
export class ToolInput {
  readonly kind = 'input';
  readonly value: JsonValue;

  constructor(value: JsonValue) {
    this.value = value;
  }
}

/** Returns the approvers and their reason, for `ctx.approval`; `undefined` if the decision contains neither. */
export function callApprovalOf({ approval, reason }: ToolApproved): CallApproval | undefined {
  return reason === undefined ? approval : Object.freeze({ by: [], ...approval, reason });
}

/** Options of {@link ToolDenied}. */
export interface ToolDeniedOptions {
  /** The text that the model gets. */
  readonly message?: string | undefined;
}

/** Denies a call: it never executes, and the model gets the message. */
export class ToolDenied {
  readonly kind = 'deny';
  /** The text that the model gets. */
  readonly message: string;

  /** Takes the message, or an object with the option `message`. */
  constructor(message: string | ToolDeniedOptions = {}) {
    this.message = optionalMessage('`ToolDenied`', message) ?? 'The tool call was denied.';
  }
}

/** Options of {@link ToolExpired} and {@link ToolSuperseded}. */
export interface UndecidedOptions {
  /** The text that the model gets; by default a sentence that fits the call. */
  readonly message?: string | undefined;
}

/**
 * Closes a call that received no decision and no result in time.
 *
 * The call never executes. It does not count as denied: the outcome of its result is `expired`.
 */
export class ToolExpired {
  readonly kind = 'expire';
  /** The text that the model gets. */
  readonly message: string | undefined;

  /** Takes the message, or an object with the option `message`. */
  constructor(message: string | UndecidedOptions = {}) {
    this.message = optionalMessage('`ToolExpired`', message);
  }
}

/**
 * Closes a call that received no decision and no result before a newer message replaced it.
 *
 * The call never executes. It does not count as denied: the outcome of its result is `superseded`.
 */
export class ToolSuperseded {
  readonly kind = 'supersede';
  /** The text that the model gets. */
  readonly message: string | undefined;

  /** Takes the message, or an object with the option `message`. */
  constructor(message: string | UndecidedOptions = {}) {
    this.message = optionalMessage('`ToolSuperseded`', message);
  }
}

/** Returns whether a value closes a call without a decision. */
export function isUndecided(value: unknown): value is ToolExpired | ToolSuperseded {
  return value instanceof ToolExpired || value instanceof ToolSuperseded;
}

const MESSAGE_OPTION: OptionTable<{ readonly message?: string | undefined }> = { message: 'any' };

function optionalMessage(
  owner: string,
  given: string | { readonly message?: string | undefined },
): string | undefined {
  if (typeof given !== 'object') return given;
  checkOptions(owner, given, MESSAGE_OPTION);
  return given.message;
}

/**
 * A decision about a call that needs approval, or an input for its question. `ModelRetry` requests changes: the call
 * does not execute, and the model receives the message and may call again.
 */
export type ApprovalDecision =
  | boolean
  | ToolApproved
  | ToolDenied
  | ModelRetry
  | ToolInput
  | ToolExpired
  | ToolSuperseded;

/**
 * The result of an external call: a JSON value, a `ToolReturn` with more than a value, `ModelRetry` or a retry
 * prompt to make the model try again, `ToolFailed`, or `ToolExpired` or `ToolSuperseded` if there is none.
 */
export type ExternalResult =
  | JsonValue
  | ToolReturn
  | ModelRetry
  | ToolFailed
  | RetryPromptPart
  | ToolExpired
  | ToolSuperseded;

/** A decision or result as an object: never a boolean or a plain value. */
export type Decision =
  | ToolApproved
  | ToolDenied
  | ToolInput
  | ToolExpired
  | ToolSuperseded
  | ToolReturn<unknown>
  | ModelRetry
  | ToolFailed
  | RetryPromptPart;

/** Returns a decision as an object: `true` as `ToolApproved`, `false` as `ToolDenied`. */
export function toApprovalDecision(decision: ApprovalDecision): Exclude<ApprovalDecision, boolean> {
  if (decision === true) return new ToolApproved();
  return decision === false ? new ToolDenied() : decision;
}

/** Returns the result of an external call as an object: a plain value as a `ToolReturn`. */
export function toExternalResult(result: unknown): Decision {
  if (result instanceof ToolReturn || isUndecided(result)) return result;
  if (result instanceof ModelRetry || result instanceof ToolFailed) return result;
  return isRetryPrompt(result) ? result : new ToolReturn({ returnValue: result });
}

/** Returns whether a value is a retry prompt, and not the result of a tool that resembles one. */
export function isRetryPrompt(value: unknown): value is RetryPromptPart {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, content } = value as { kind?: unknown; content?: unknown };
  return kind === 'retry-prompt' && (typeof content === 'string' || Array.isArray(content));
}

type Undecided = ToolExpired | ToolSuperseded;

/** The state of a call that was closed without a decision. */
interface UndecidedCall {
  readonly kind: 'approval' | 'external';
  /** True if it is unknown whether the call executed. */
  readonly isInDoubt: boolean;
}

const UNDECIDED_OUTCOMES = { expire: 'expired', supersede: 'superseded' } as const;

/** Returns the outcome of the result of a call that was closed without a decision. */
export function undecidedOutcome({ kind }: Undecided): 'expired' | 'superseded' {
  return UNDECIDED_OUTCOMES[kind];
}

const REASONS: Readonly<Record<Undecided['kind'], string>> = {
  expire: 'This tool call received no decision or result in time.',
  supersede: 'A newer message replaced this tool call before it received a decision or result.',
};

/** Returns the text for the model; it claims no more than is known about the call. */
export function undecidedText(
  { kind, message }: Undecided,
  call?: UndecidedCall | undefined,
): string {
  return message ?? `${REASONS[kind]} ${stateText(call)}`;
}

function stateText(call: UndecidedCall | undefined): string {
  if (call === undefined) return 'It was not denied.';
  const { kind, isInDoubt } = call;
  if (isInDoubt) return 'It is unknown whether it was executed, and it was not denied.';
  return kind === 'approval'
    ? 'It was not executed, and it was not denied.'
    : 'It has no result, and no failure was reported.';
}
