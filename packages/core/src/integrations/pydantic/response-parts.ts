import { nullable, withDefault } from '../../messages/codec/field.ts';
import { argsOf, type Format, oneOf, stringFormat } from '../../messages/codec/format.ts';
import { toolPartKindFormat } from '../../messages/codec/request-part.ts';
import { unionOf } from '../../messages/codec/union-format.ts';
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
import type { AssistantSpeechPart } from '../../messages/speech-part.ts';
import { binaryFormat } from './content.ts';
import { partOf } from './objects.ts';
import { pydanticProviderFields, returnFields, pydanticSpeechFields } from './request-parts.ts';
import {
  CALL_KINDS,
  NATIVE_CALL_KINDS,
  NATIVE_RETURN_KINDS,
  withHoldpointOutcomes,
  withToolKinds,
} from './tool-parts.ts';
import { pydanticJsonObjectFormat } from './values.ts';

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
