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
import { variantsBy } from './objects.ts';
import { providerFields, returnFields, speechFields } from './request-parts.ts';
import {
  CALL_KINDS,
  NATIVE_CALL_KINDS,
  NATIVE_RETURN_KINDS,
  withOwnOutcomes,
  withToolKinds,
} from './tool-parts.ts';
import { jsonObjectFormat } from './values.ts';

const part = variantsBy('part_kind');

/** The names that Pydantic AI uses for two kinds of parts. */
const KINDS = {
  'native-tool-call': 'builtin-tool-call',
  'native-tool-return': 'builtin-tool-return',
} as const;

const callFields = {
  toolName: stringFormat,
  args: withDefault(argsOf(jsonObjectFormat), null),
  toolCallId: stringFormat,
  toolKind: nullable(toolPartKindFormat),
  ...providerFields,
};

const nativeReturnFields = {
  ...returnFields,
  providerName: providerFields.providerName,
  providerDetails: providerFields.providerDetails,
};

/** A tool call of the model, as deferred requests contain it. */
export const toolCallFormat: Format<ToolCallPart> = part<ToolCallPart>('tool-call', callFields);

/** A part of a response of the model. */
export const responsePartFormat: Format<ResponsePart> = unionOf<ResponsePart>(
  {
    text: part<TextPart>('text', { content: stringFormat, ...providerFields }),
    thinking: part<ThinkingPart>('thinking', {
      content: stringFormat,
      signature: nullable(stringFormat),
      ...providerFields,
    }),
    'tool-call': withToolKinds(toolCallFormat, CALL_KINDS),
    'native-tool-call': withToolKinds(
      part<NativeToolCallPart>('native-tool-call', callFields, KINDS['native-tool-call']),
      NATIVE_CALL_KINDS,
    ),
    'native-tool-return': withToolKinds(
      withOwnOutcomes(
        part<NativeToolReturnPart>(
          'native-tool-return',
          nativeReturnFields,
          KINDS['native-tool-return'],
        ),
      ),
      NATIVE_RETURN_KINDS,
    ),
    file: part<FilePart>('file', { content: binaryFormat, ...providerFields }),
    compaction: part<CompactionPart>('compaction', {
      content: nullable(stringFormat),
      ...providerFields,
    }),
    speech: part<AssistantSpeechPart>('speech', { speaker: oneOf('assistant'), ...speechFields }),
  },
  { name: 'part_kind', kinds: KINDS },
);
