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
import { byKind, oneOf, type Read, readString, readTimestamp, stringOr } from './read.ts';
import { readBinaryContent } from './read-content.ts';
import { readJson, readJsonObject } from './read-json.ts';
import { ofKind, optional, optionalOrNull } from './read-object.ts';
import { readToolOutcome, readToolPartKind } from './read-request-part.ts';
import { providerFields, speechFields } from './read-speech.ts';
import type { Trail } from './trail.ts';

const callFields = {
  toolName: readString,
  toolCallId: readString,
  args: stringOr(readParsedArgs),
  toolKind: optional(readToolPartKind),
  ...providerFields,
};

/** Reads a tool call of the model. */
export const readToolCall: Read<ToolCallPart> = ofKind<ToolCallPart>('tool-call', callFields);

/** Reads a part of what a model answers. */
export const readResponsePart: Read<ResponsePart> = byKind<ResponsePart>({
  text: ofKind<TextPart>('text', { content: readString, ...providerFields }),
  thinking: ofKind<ThinkingPart>('thinking', {
    content: readString,
    signature: optional(readString),
    ...providerFields,
  }),
  'tool-call': readToolCall,
  'native-tool-call': ofKind<NativeToolCallPart>('native-tool-call', callFields),
  'native-tool-return': ofKind<NativeToolReturnPart>('native-tool-return', {
    toolName: readString,
    toolCallId: readString,
    content: readJson,
    outcome: readToolOutcome,
    metadata: optionalOrNull(readJson),
    toolKind: optional(readToolPartKind),
    timestamp: optional(readTimestamp),
    providerName: optional(readString),
    providerDetails: optional(readJsonObject),
  }),
  file: ofKind<FilePart>('file', { content: readBinaryContent, ...providerFields }),
  compaction: ofKind<CompactionPart>('compaction', {
    content: optional(readString),
    ...providerFields,
  }),
  speech: ofKind<AssistantSpeechPart>('speech', {
    speaker: oneOf<'assistant'>({ assistant: true }),
    ...speechFields,
  }),
});

function readParsedArgs(value: unknown, trail: Trail): Exclude<ToolCallPart['args'], string> {
  if (value === null) return value;
  return typeof value === 'object' && !Array.isArray(value)
    ? readJsonObject(value, trail)
    : trail.mismatch('an object, a string or null', value);
}
