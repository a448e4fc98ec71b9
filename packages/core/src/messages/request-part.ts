import type { UserPrompt } from './content.ts';
import type { JsonValue } from '../internal/json.ts';
import type { UserSpeechPart } from './speech-part.ts';

/** A part of what is sent to the model. */
export type RequestPart =
  | SystemPromptPart
  | UserPromptPart
  | ToolReturnPart
  | RetryPromptPart
  | ToolAvailabilityDeltaPart
  | UserSpeechPart;

/** The fields of a part that has a time. */
export interface TimedPart {
  /** When the part came to be, as an ISO 8601 text; absent when it is that of its message. */
  readonly timestamp?: string | undefined;
}

/** What the application tells the model before anything else. */
export interface SystemPromptPart extends TimedPart {
  readonly kind: 'system-prompt';
  readonly content: string;
  /** The name of the function that made this prompt, where it is made again for later runs. */
  readonly dynamicRef?: string | undefined;
}

/** What a person says to the model. */
export interface UserPromptPart extends TimedPart {
  readonly kind: 'user-prompt';
  readonly content: UserPrompt;
}

/**
 * How a tool call ended.
 *
 * - `success`, `failed`: it has run
 * - `denied`: somebody has said no
 * - `interrupted`: it was given up
 * - `expired`, `superseded`: nobody has answered it in time, or before a newer message came
 */
export type ToolOutcome =
  | 'success'
  | 'failed'
  | 'denied'
  | 'interrupted'
  | 'expired'
  | 'superseded';

/** Tool calls and returns with a meaning of their own across providers. */
export type ToolPartKind = 'tool-search' | 'capability-load';

/** The answer to a tool call. */
export interface ToolReturnPart extends TimedPart {
  readonly kind: 'tool-return';
  readonly toolName: string;
  readonly toolCallId: string;
  /** What the tool returned; files in it (see {@link FileContent}) reach models that take them. */
  readonly content: JsonValue;
  readonly outcome: ToolOutcome;
  /** For the application; the model does not see it. */
  readonly metadata?: JsonValue | undefined;
  readonly toolKind?: ToolPartKind | undefined;
}

/** One thing that is wrong with arguments or an output. */
export interface ValidationIssue {
  /** The kind of mistake, where the validator says it. */
  readonly type?: string | undefined;
  /** Where in the value it is; empty for the value as a whole. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The value at the path; if a member is missing, the object that lacks it. */
  readonly input?: JsonValue | undefined;
}

/** Asks the model to try again, and says why. */
export interface RetryPromptPart extends TimedPart {
  readonly kind: 'retry-prompt';
  readonly content: string | readonly ValidationIssue[];
  /** The tool that was called; absent when it is the model's answer itself that will not do. */
  readonly toolName?: string | undefined;
  readonly toolCallId?: string | undefined;
}

/** Says which tools the model can use from here on that it could not use before. */
export interface ToolAvailabilityDeltaPart {
  readonly kind: 'tool-availability-delta';
  readonly toolsAdded: readonly string[];
  readonly toolCallId?: string | undefined;
}

/** A part that answers a tool call. */
export type ToolResultPart = ToolReturnPart | (RetryPromptPart & ToolRetryFields);

/** The fields of a retry prompt for a tool call. */
export interface ToolRetryFields {
  readonly toolName: string;
  readonly toolCallId: string;
}

/** Whether a part answers a tool call; a retry prompt without a tool does not. */
export function isToolResult(part: RequestPart): part is ToolResultPart {
  return (
    part.kind === 'tool-return' || (part.kind === 'retry-prompt' && part.toolName !== undefined)
  );
}
