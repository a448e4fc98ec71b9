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
import { userPromptFormat } from './content.ts';
import { optional, optionalOrNull } from './field.ts';
import {
  type Format,
  isFiniteNumber,
  listOf,
  oneOf,
  same,
  stringFormat,
  stringOrListOf,
  timestampFormat,
} from './format.ts';
import { jsonFormat } from './json-format.ts';
import { objectOf, variantOf } from './object-format.ts';
import { speechFields } from './speech.ts';
import { unionOf } from './union-format.ts';

export const toolOutcomeFormat: Format<ToolOutcome> = oneOf(
  'success',
  'failed',
  'denied',
  'interrupted',
  'expired',
  'superseded',
);

export const toolPartKindFormat: Format<ToolPartKind> = oneOf('tool-search', 'capability-load');

const issueStepFormat = same((value, path) =>
  typeof value === 'string' || isFiniteNumber(value)
    ? value
    : path.mismatch('a string or a finite number', value),
);

const issueFormat = objectOf<ValidationIssue>({
  type: optional(stringFormat),
  path: listOf(issueStepFormat),
  message: stringFormat,
  input: optionalOrNull(jsonFormat),
});

const retryFormat = variantOf<RetryPromptPart>('retry-prompt', {
  content: stringOrListOf(issueFormat, 'a string or an array of issues'),
  toolName: optional(stringFormat),
  toolCallId: optional(stringFormat),
  timestamp: optional(timestampFormat),
});

/** A retry prompt. One that names a tool belongs to a call, so it must have the call's id. */
export const retryPromptFormat: Format<RetryPromptPart> = same((value, path) => {
  const part = retryFormat.read(value, path);
  if (part.toolName !== undefined && part.toolCallId === undefined) {
    path.at('toolCallId').fail('Expected a string, since there is a toolName, found nothing.');
  }
  return part;
});

/** The result of a tool call. */
export const toolReturnFormat: Format<ToolReturnPart> = variantOf<ToolReturnPart>('tool-return', {
  toolName: stringFormat,
  toolCallId: stringFormat,
  content: jsonFormat,
  outcome: toolOutcomeFormat,
  metadata: optionalOrNull(jsonFormat),
  toolKind: optional(toolPartKindFormat),
  timestamp: optional(timestampFormat),
});

/** A part of a request to the model. */
export const requestPartFormat: Format<RequestPart> = unionOf<RequestPart>({
  'system-prompt': variantOf<SystemPromptPart>('system-prompt', {
    content: stringFormat,
    dynamicRef: optional(stringFormat),
    timestamp: optional(timestampFormat),
  }),
  'user-prompt': variantOf<UserPromptPart>('user-prompt', {
    content: userPromptFormat,
    timestamp: optional(timestampFormat),
  }),
  'tool-return': toolReturnFormat,
  'retry-prompt': retryPromptFormat,
  'tool-availability-delta': variantOf<ToolAvailabilityDeltaPart>('tool-availability-delta', {
    toolsAdded: listOf(stringFormat),
    toolCallId: optional(stringFormat),
  }),
  speech: variantOf<UserSpeechPart>('speech', { speaker: oneOf('user'), ...speechFields }),
});
