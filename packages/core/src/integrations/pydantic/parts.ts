import type { JsonObject } from '../../internal/json.ts';
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
  argsOf,
  type Format,
  listOf,
  oneOf,
  same,
  stringFormat,
  stringOrListOf,
} from '../../messages/codec/format.ts';
import { toolPartKindFormat } from '../../messages/codec/request-part.ts';
import { unionOf } from '../../messages/codec/union-format.ts';
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
import type {
  CompactionPart,
  FilePart,
  NativeToolCallPart,
  NativeToolReturnPart,
  ResponsePart,
  TextPart,
  ThinkingPart,
  ToolCallPart,
} from '../../messages/response-part.ts';
import type { AssistantSpeechPart, UserSpeechPart } from '../../messages/speech-part.ts';
import { binaryFormat, pydanticUserPromptFormat, toolContentFormat } from './content.ts';
import {
  CALL_KINDS,
  NATIVE_CALL_KINDS,
  NATIVE_RETURN_KINDS,
  RETURN_KINDS,
  withHoldpointOutcomes,
  withToolKinds,
} from './tool-parts.ts';
import {
  integerFormat,
  partOf,
  pydanticJsonFormat,
  pydanticJsonObjectFormat,
  pydanticObjectOf,
  timeFormat,
} from './values.ts';

/** The members that a provider adds to its parts. */
const pydanticProviderFields: Fields<
  Pick<UserSpeechPart, 'id' | 'providerName' | 'providerDetails'>
> = {
  id: nullable(stringFormat),
  providerName: nullable(stringFormat),
  providerDetails: nullable(pydanticJsonObjectFormat),
};

/** The members of speech, of the user or of the model. */
const pydanticSpeechFields: Fields<Omit<UserSpeechPart, 'kind' | 'speaker'>> = {
  transcript: nullable(stringFormat),
  audio: nullable(binaryFormat),
  interruptedAtMs: nullable(integerFormat),
  ...pydanticProviderFields,
};

/** The members of the result of a tool call, from a tool of the agent or of the provider. */
const returnFields: Fields<Omit<ToolReturnPart, 'kind'>> = {
  toolName: stringFormat,
  content: toolContentFormat,
  toolCallId: stringFormat,
  toolKind: nullable(toolPartKindFormat),
  metadata: nullable(pydanticJsonFormat),
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

const locationStepFormat = same((value, path) =>
  typeof value === 'string' || Number.isInteger(value)
    ? // A string, or an integer.
      (value as string | number)
    : path.mismatch('a string or an integer', value),
);

const errorDetailsFormat = pydanticObjectOf<ErrorDetails>({
  type: requiredAs(stringFormat, 'value_error'),
  path: named(required(listOf(locationStepFormat)), 'loc'),
  message: named(required(stringFormat), 'msg'),
  input: requiredAs(pydanticJsonFormat, null),
  ctx: optional(pydanticJsonObjectFormat),
  url: optional(stringFormat),
});

/** A request to the model to try again. */
export const pydanticRetryPromptFormat: Format<RetryPromptPart> = partOf<RetryPromptPart>(
  'retry-prompt',
  {
    content: stringOrListOf<ValidationIssue>(errorDetailsFormat, 'a string or an array of errors'),
    toolName: nullable(stringFormat),
    toolCallId: optional(stringFormat),
    timestamp: optional(timeFormat),
  },
);

/** A part of a request to the model. */
export const pydanticRequestPartFormat: Format<RequestPart> = unionOf<RequestPart>(
  {
    'system-prompt': partOf<SystemPromptPart>('system-prompt', {
      content: stringFormat,
      timestamp: optional(timeFormat),
      dynamicRef: nullable(stringFormat),
    }),
    'user-prompt': partOf<UserPromptPart>('user-prompt', {
      content: pydanticUserPromptFormat,
      timestamp: optional(timeFormat),
    }),
    'tool-return': withToolKinds(
      withHoldpointOutcomes(partOf<ToolReturnPart>('tool-return', returnFields)),
      RETURN_KINDS,
    ),
    'retry-prompt': pydanticRetryPromptFormat,
    'tool-availability-delta': partOf<ToolAvailabilityDeltaPart>('tool-availability-delta', {
      toolsAdded: named(
        withDefault<readonly string[]>(listOf(stringFormat), Object.freeze([])),
        'tools_added',
        'added',
      ),
      toolCallId: nullable(stringFormat),
    }),
    speech: partOf<UserSpeechPart>('speech', { speaker: oneOf('user'), ...pydanticSpeechFields }),
  },
  { name: 'part_kind' },
);

/** The names that Pydantic AI uses for two kinds of parts. */
const KIND_NAMES = {
  'native-tool-call': 'builtin-tool-call',
  'native-tool-return': 'builtin-tool-return',
} as const;

const pydanticCallFields = {
  toolName: stringFormat,
  args: withDefault(argsOf(pydanticJsonObjectFormat), null),
  toolCallId: stringFormat,
  toolKind: nullable(toolPartKindFormat),
  ...pydanticProviderFields,
};

const nativeReturnFields = {
  ...returnFields,
  providerName: pydanticProviderFields.providerName,
  providerDetails: pydanticProviderFields.providerDetails,
};

/** A tool call of the model, as deferred requests contain it. */
export const pydanticToolCallFormat: Format<ToolCallPart> = partOf<ToolCallPart>(
  'tool-call',
  pydanticCallFields,
);

/** A part of a response of the model. */
export const pydanticResponsePartFormat: Format<ResponsePart> = unionOf<ResponsePart>(
  {
    text: partOf<TextPart>('text', { content: stringFormat, ...pydanticProviderFields }),
    thinking: partOf<ThinkingPart>('thinking', {
      content: stringFormat,
      signature: nullable(stringFormat),
      ...pydanticProviderFields,
    }),
    'tool-call': withToolKinds(pydanticToolCallFormat, CALL_KINDS),
    'native-tool-call': withToolKinds(
      partOf<NativeToolCallPart>(
        'native-tool-call',
        pydanticCallFields,
        KIND_NAMES['native-tool-call'],
      ),
      NATIVE_CALL_KINDS,
    ),
    'native-tool-return': withToolKinds(
      withHoldpointOutcomes(
        partOf<NativeToolReturnPart>(
          'native-tool-return',
          nativeReturnFields,
          KIND_NAMES['native-tool-return'],
        ),
      ),
      NATIVE_RETURN_KINDS,
    ),
    file: partOf<FilePart>('file', { content: binaryFormat, ...pydanticProviderFields }),
    compaction: partOf<CompactionPart>('compaction', {
      content: nullable(stringFormat),
      ...pydanticProviderFields,
    }),
    speech: partOf<AssistantSpeechPart>('speech', {
      speaker: oneOf('assistant'),
      ...pydanticSpeechFields,
    }),
  },
  { name: 'part_kind', kinds: KIND_NAMES },
);
