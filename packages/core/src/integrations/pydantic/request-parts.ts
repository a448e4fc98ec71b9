import {
  type Fields,
  named,
  nullable,
  optional,
  required,
  requiredAs,
  withDefault,
} from '../../messages/codec/field.ts';
import {
  type Format,
  listOf,
  oneOf,
  same,
  stringFormat,
  stringOrListOf,
} from '../../messages/codec/format.ts';
import { toolPartKindFormat } from '../../messages/codec/request-part.ts';
import { unionOf } from '../../messages/codec/union-format.ts';
import type { JsonObject } from '../../internal/json.ts';
import type {
  RequestPart,
  RetryPromptPart,
  SystemPromptPart,
  ToolAvailabilityDeltaPart,
  ToolOutcome,
  ToolReturnPart,
  UserPromptPart,
  ValidationIssue,
} from '../../messages/request-part.ts';
import type { UserSpeechPart } from '../../messages/speech-part.ts';
import { binaryFormat, toolContentFormat, userPromptFormat } from './content.ts';
import { objectOf, variantsBy } from './objects.ts';
import { timeFormat } from './time.ts';
import { RETURN_KINDS, withOwnOutcomes, withToolKinds } from './tool-parts.ts';
import { integerFormat, jsonFormat, jsonObjectFormat } from './values.ts';

const part = variantsBy('part_kind');

/** The members that a provider adds to its parts. */
export const providerFields: Fields<
  Pick<UserSpeechPart, 'id' | 'providerName' | 'providerDetails'>
> = {
  id: nullable(stringFormat),
  providerName: nullable(stringFormat),
  providerDetails: nullable(jsonObjectFormat),
};

/** The members of speech, of the user or of the model. */
export const speechFields: Fields<Omit<UserSpeechPart, 'kind' | 'speaker'>> = {
  transcript: nullable(stringFormat),
  audio: nullable(binaryFormat),
  interruptedAtMs: nullable(integerFormat),
  ...providerFields,
};

/** The members of the result of a tool call, from a tool of the agent or of the provider. */
export const returnFields: Fields<Omit<ToolReturnPart, 'kind'>> = {
  toolName: stringFormat,
  content: toolContentFormat,
  toolCallId: stringFormat,
  toolKind: nullable(toolPartKindFormat),
  metadata: nullable(jsonFormat),
  timestamp: optional(timeFormat),
  outcome: withDefault<ToolOutcome>(
    oneOf<ToolOutcome>('success', 'failed', 'denied', 'interrupted'),
    'success',
  ),
};

/** An issue with the members that only Pydantic AI uses. They are kept. */
interface ErrorDetails extends ValidationIssue {
  readonly ctx?: JsonObject | undefined;
  readonly url?: string | undefined;
}

const issueStepFormat = same((value, path) =>
  typeof value === 'string' || Number.isInteger(value)
    ? // A string, or an integer.
      (value as string | number)
    : path.mismatch('a string or an integer', value),
);

const errorDetailsFormat = objectOf<ErrorDetails>({
  type: requiredAs(stringFormat, 'value_error'),
  path: named(required(listOf(issueStepFormat)), 'loc'),
  message: named(required(stringFormat), 'msg'),
  input: requiredAs(jsonFormat, null),
  ctx: optional(jsonObjectFormat),
  url: optional(stringFormat),
});

/** A request to the model to try again. */
export const retryPromptFormat: Format<RetryPromptPart> = part<RetryPromptPart>('retry-prompt', {
  content: stringOrListOf<ValidationIssue>(errorDetailsFormat, 'a string or an array of errors'),
  toolName: nullable(stringFormat),
  toolCallId: optional(stringFormat),
  timestamp: optional(timeFormat),
});

/** A part of a request to the model. */
export const requestPartFormat: Format<RequestPart> = unionOf<RequestPart>(
  {
    'system-prompt': part<SystemPromptPart>('system-prompt', {
      content: stringFormat,
      timestamp: optional(timeFormat),
      dynamicRef: nullable(stringFormat),
    }),
    'user-prompt': part<UserPromptPart>('user-prompt', {
      content: userPromptFormat,
      timestamp: optional(timeFormat),
    }),
    'tool-return': withToolKinds(
      withOwnOutcomes(part<ToolReturnPart>('tool-return', returnFields)),
      RETURN_KINDS,
    ),
    'retry-prompt': retryPromptFormat,
    'tool-availability-delta': part<ToolAvailabilityDeltaPart>('tool-availability-delta', {
      toolsAdded: named(
        withDefault<readonly string[]>(listOf(stringFormat), Object.freeze([])),
        'tools_added',
        'added',
      ),
      toolCallId: nullable(stringFormat),
    }),
    speech: part<UserSpeechPart>('speech', { speaker: oneOf('user'), ...speechFields }),
  },
  { name: 'part_kind' },
);
