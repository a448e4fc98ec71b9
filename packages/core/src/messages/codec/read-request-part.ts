import type {
  RequestPart,
  RetryPromptPart,
  SystemPromptPart,
  ToolAvailabilityDeltaPart,
  ToolOutcome,
  ToolPartKind,
  ToolReturnPart,
  UserPromptPart,
  ValidationIssue,
} from '../request-part.ts';
import type { UserSpeechPart } from '../speech-part.ts';
import { byKind, listOf, oneOf, type Read, readString, readTimestamp } from './read.ts';
import { readUserPrompt } from './read-content.ts';
import { speechFields } from './read-speech.ts';
import { readJson } from './read-json.ts';
import { objectOf, ofKind, optional, optionalOrNull } from './read-object.ts';
import type { Trail } from './trail.ts';

export const readToolOutcome: Read<ToolOutcome> = oneOf<ToolOutcome>({
  success: true,
  failed: true,
  denied: true,
  interrupted: true,
  expired: true,
  superseded: true,
});

export const readToolPartKind: Read<ToolPartKind> = oneOf<ToolPartKind>({
  'tool-search': true,
  'capability-load': true,
});

const readIssues = listOf(
  objectOf<ValidationIssue>({
    type: optional(readString),
    path: listOf(readIssueStep),
    message: readString,
    input: optionalOrNull(readJson),
  }),
);

const readRetryFields = ofKind<RetryPromptPart>('retry-prompt', {
  content: readRetryContent,
  toolName: optional(readString),
  toolCallId: optional(readString),
  timestamp: optional(readTimestamp),
});

/** Reads a retry prompt; one that names a tool answers a call, so it must say which. */
export function readRetryPrompt(value: unknown, trail: Trail): RetryPromptPart {
  const part = readRetryFields(value, trail);
  if (part.toolName !== undefined && part.toolCallId === undefined) {
    trail.enter('toolCallId');
    trail.fail('Expected a string, since there is a toolName, found nothing.');
  }
  return part;
}

/** Reads the answer to a tool call. */
export const readToolReturn: Read<ToolReturnPart> = ofKind<ToolReturnPart>('tool-return', {
  toolName: readString,
  toolCallId: readString,
  content: readJson,
  outcome: readToolOutcome,
  metadata: optionalOrNull(readJson),
  toolKind: optional(readToolPartKind),
  timestamp: optional(readTimestamp),
});

/** Reads a part of what is sent to the model. */
export const readRequestPart: Read<RequestPart> = byKind<RequestPart>({
  'system-prompt': ofKind<SystemPromptPart>('system-prompt', {
    content: readString,
    dynamicRef: optional(readString),
    timestamp: optional(readTimestamp),
  }),
  'user-prompt': ofKind<UserPromptPart>('user-prompt', {
    content: readUserPrompt,
    timestamp: optional(readTimestamp),
  }),
  'tool-return': readToolReturn,
  'retry-prompt': readRetryPrompt,
  'tool-availability-delta': ofKind<ToolAvailabilityDeltaPart>('tool-availability-delta', {
    toolsAdded: listOf(readString),
    toolCallId: optional(readString),
  }),
  speech: ofKind<UserSpeechPart>('speech', {
    speaker: oneOf<'user'>({ user: true }),
    ...speechFields,
  }),
});

function readRetryContent(value: unknown, trail: Trail): RetryPromptPart['content'] {
  if (typeof value === 'string') return value;
  return Array.isArray(value)
    ? readIssues(value, trail)
    : trail.mismatch('a string or an array of issues', value);
}

function readIssueStep(value: unknown, trail: Trail): string | number {
  if (typeof value === 'string') return value;
  return Number.isFinite(value)
    ? (value as number)
    : trail.mismatch('a string or a finite number', value);
}
