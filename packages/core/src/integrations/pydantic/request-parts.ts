import type { JsonObject } from '../../internal/json.ts';
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
} from '../../messages/request-part.ts';
import type { UserSpeechPart } from '../../messages/speech-part.ts';
import { userPrompt } from './content.ts';
import { withOwnOutcomes } from './own-outcomes.ts';
import { speechFields } from './provider-fields.ts';
import { toolContent } from './tool-content.ts';
import { byToolKind, RETURN_KINDS } from './tool-kinds.ts';
import { freeJson, freeObject } from './wire/free-json.ts';
import {
  demanded,
  type FieldsOf,
  filled,
  named,
  nullable,
  objectOf,
  omitted,
  required,
} from './wire/object.ts';
import { time } from './wire/time.ts';
import { unionOf, type Variant, variantsBy } from './wire/union.ts';
import { listOf, oneOf, same, text, textOr, type Wire } from './wire/wire.ts';

const part = variantsBy('part_kind');

const outcome: Wire<ToolOutcome> = oneOf('success', 'failed', 'denied', 'interrupted');

export const toolKind: Wire<ToolPartKind> = oneOf('tool-search', 'capability-load');

/** What the answer to a tool call says, whoever ran the tool. */
export const returnFields: FieldsOf<ToolReturnPart> = {
  toolName: required(text),
  content: required(toolContent),
  toolCallId: required(text),
  toolKind: nullable(toolKind),
  metadata: nullable(freeJson),
  timestamp: omitted(time),
  outcome: filled<ToolOutcome>(outcome, () => 'success'),
};

/** An issue with what the reference may know beside: we keep it, but have no use for it. */
interface ErrorDetails extends ValidationIssue {
  readonly ctx?: JsonObject | undefined;
  readonly url?: string | undefined;
}

const step: Wire<string | number> = same((value, trail) =>
  typeof value === 'string' || Number.isInteger(value)
    ? (value as string | number)
    : trail.mismatch('a string or an integer', value),
);

const errorDetails = objectOf<ErrorDetails>({
  type: demanded(text, 'value_error'),
  path: named(required(listOf(step)), 'loc'),
  message: named(required(text), 'msg'),
  input: demanded(freeJson, null),
  ctx: omitted(freeObject),
  url: omitted(text),
});

/** Asks the model to try again. */
export const retryPrompt: Variant<RetryPromptPart> = part<RetryPromptPart>('retry-prompt', {
  content: required(
    textOr<readonly ValidationIssue[]>(listOf(errorDetails), 'a string or an array of errors'),
  ),
  toolName: nullable(text),
  toolCallId: omitted(text),
  timestamp: omitted(time),
});

/** A part of what is sent to the model. */
export const requestPart: Wire<RequestPart> = unionOf<RequestPart>('part_kind', {
  'system-prompt': part<SystemPromptPart>('system-prompt', {
    content: required(text),
    timestamp: omitted(time),
    dynamicRef: nullable(text),
  }),
  'user-prompt': part<UserPromptPart>('user-prompt', {
    content: required(userPrompt),
    timestamp: omitted(time),
  }),
  'tool-return': byToolKind(
    withOwnOutcomes(part<ToolReturnPart>('tool-return', returnFields)),
    RETURN_KINDS,
  ),
  'retry-prompt': retryPrompt,
  'tool-availability-delta': part<ToolAvailabilityDeltaPart>('tool-availability-delta', {
    toolsAdded: named(
      filled<readonly string[]>(listOf(text), () => []),
      'tools_added',
      'added',
    ),
    toolCallId: nullable(text),
  }),
  speech: part<UserSpeechPart>('speech', {
    speaker: required(oneOf('user')),
    ...speechFields,
  }),
});
