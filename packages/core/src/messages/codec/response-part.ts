import type {
  CompactionPart,
  FilePart,
  NativeToolCallPart,
  NativeToolReturnPart,
  ResponsePart,
  TextPart,
  ThinkingPart,
  ToolCallPart,
} from '../response-part.ts';
import type { AssistantSpeechPart } from '../speech-part.ts';
import { binaryContentFormat } from './content.ts';
import { optional, optionalOrNull } from './field.ts';
import { argsOf, type Format, oneOf, stringFormat, timestampFormat } from './format.ts';
import { jsonFormat, jsonObjectFormat } from './json-format.ts';
import { variantOf } from './object-format.ts';
import { toolOutcomeFormat, toolPartKindFormat } from './request-part.ts';
import { providerFields, speechFields } from './speech.ts';
import { unionOf } from './union-format.ts';

const callFields = {
  toolName: stringFormat,
  toolCallId: stringFormat,
  args: argsOf(jsonObjectFormat),
  toolKind: optional(toolPartKindFormat),
  ...providerFields,
};

/** A tool call of the model. */
export const toolCallFormat: Format<ToolCallPart> = variantOf<ToolCallPart>(
  'tool-call',
  callFields,
);

/** A part of a response of the model. */
export const responsePartFormat: Format<ResponsePart> = unionOf<ResponsePart>({
  text: variantOf<TextPart>('text', { content: stringFormat, ...providerFields }),
  thinking: variantOf<ThinkingPart>('thinking', {
    content: stringFormat,
    signature: optional(stringFormat),
    ...providerFields,
  }),
  'tool-call': toolCallFormat,
  'native-tool-call': variantOf<NativeToolCallPart>('native-tool-call', callFields),
  'native-tool-return': variantOf<NativeToolReturnPart>('native-tool-return', {
    toolName: stringFormat,
    toolCallId: stringFormat,
    content: jsonFormat,
    outcome: toolOutcomeFormat,
    metadata: optionalOrNull(jsonFormat),
    toolKind: optional(toolPartKindFormat),
    timestamp: optional(timestampFormat),
    providerName: optional(stringFormat),
    providerDetails: optional(jsonObjectFormat),
  }),
  file: variantOf<FilePart>('file', { content: binaryContentFormat, ...providerFields }),
  compaction: variantOf<CompactionPart>('compaction', {
    content: optional(stringFormat),
    ...providerFields,
  }),
  speech: variantOf<AssistantSpeechPart>('speech', {
    speaker: oneOf('assistant'),
    ...speechFields,
  }),
});
