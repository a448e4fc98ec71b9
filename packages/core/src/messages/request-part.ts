import type { UserPrompt } from './content.ts';
import type { JsonValue } from '../internal/json.ts';
import type { UserSpeechPart } from './speech-part.ts';

/** A part of a message to the model. */
export type RequestPart =
  | SystemPromptPart
  | UserPromptPart
  | ToolReturnPart
  | RetryPromptPart
  | ToolAvailabilityDeltaPart
  | UserSpeechPart;

/** The fields of a part that has a time. */
export interface TimedPart {
  /** The time of creation, in ISO 8601 format; absent if it equals that of the message. */
  readonly timestamp?: string | undefined;
}

/** A text of the application that precedes the conversation. */
export interface SystemPromptPart extends TimedPart {
  readonly kind: 'system-prompt';
  readonly content: string;
  /** The name of the function that creates this prompt again for later runs. */
  readonly dynamicRef?: string | undefined;
}

/** A prompt of a person. */
export interface UserPromptPart extends TimedPart {
  readonly kind: 'user-prompt';
  readonly content: UserPrompt;
}

/**
 * The outcome of a tool call.
 *
 * - `success`, `failed`: it was executed
 * - `denied`: an approver denied it
 * - `interrupted`: it was started and has no result
 * - `expired`: it received no decision or result in time
 * - `superseded`: a newer message replaced it before it received a decision or result
 */
export type ToolOutcome =
  | 'success'
  | 'failed'
  | 'denied'
  | 'interrupted'
  | 'expired'
  | 'superseded';

/** The kinds of tool calls and returns that have a special meaning with every provider. */
export type ToolPartKind = 'tool-search' | 'capability-load';

/** The result of a tool call. */
export interface ToolReturnPart extends TimedPart {
  readonly kind: 'tool-return';
  readonly toolName: string;
  readonly toolCallId: string;
  /** The value that the tool returned. Models that accept files receive the files in it (see `FileContent`). */
  readonly content: JsonValue;
  readonly outcome: ToolOutcome;
  /** Data for the application; the model does not see it. */
  readonly metadata?: JsonValue | undefined;
  readonly toolKind?: ToolPartKind | undefined;
}

/** One problem of arguments or of an output. */
export interface ValidationIssue {
  /** The kind of problem, if the validator reports it. */
  readonly type?: string | undefined;
  /** The path to the problem; empty for the value as a whole. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The value at the path; if a member is missing, the object that lacks it. */
  readonly input?: JsonValue | undefined;
}

/** A request to the model to try again, with the reason. */
export interface RetryPromptPart extends TimedPart {
  readonly kind: 'retry-prompt';
  readonly content: string | readonly ValidationIssue[];
  /** The tool that was called; absent if the text output of the model was invalid. */
  readonly toolName?: string | undefined;
  readonly toolCallId?: string | undefined;
}

/** The tools that the model can use from this point on. */
export interface ToolAvailabilityDeltaPart {
  readonly kind: 'tool-availability-delta';
  readonly toolsAdded: readonly string[];
  readonly toolCallId?: string | undefined;
}

/** A part with the result of a tool call. */
export type ToolResultPart = ToolReturnPart | (RetryPromptPart & ToolRetryFields);

/** The fields of a retry prompt for a tool call. */
export interface ToolRetryFields {
  readonly toolName: string;
  readonly toolCallId: string;
}

/** Returns whether a part is the result of a tool call. A retry prompt without a tool is none. */
export function isToolResult(part: RequestPart): part is ToolResultPart {
  return (
    part.kind === 'tool-return' || (part.kind === 'retry-prompt' && part.toolName !== undefined)
  );
}

/** Returns the text of a retry prompt for the model. */
export function renderRetryPrompt(part: RetryPromptPart): string {
  const reason = typeof part.content === 'string' ? part.content : renderIssues(part.content);
  const opening = part.toolName === undefined ? 'Your response cannot be used:\n' : '';
  return `${opening}${reason}\n\nPlease correct this and try again.`;
}

function renderIssues(issues: readonly ValidationIssue[]): string {
  const count = issues.length === 1 ? '1 problem' : `${issues.length} problems`;
  return [`${count} found:`, ...issues.map(renderIssue)].join('\n');
}

function renderIssue({ path, message, input }: ValidationIssue): string {
  const location = path.length > 0 ? `${renderPath(path)}: ` : '';
  const found = input === undefined ? '' : ` (found ${JSON.stringify(input)})`;
  return `- ${location}${message}${found}`;
}

function renderPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}
