import { isPlainObject } from '../../internal/json.ts';
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
import { binary } from './content.ts';
import { withOwnOutcomes } from './own-outcomes.ts';
import { providerFields, speechFields } from './provider-fields.ts';
import { returnFields, toolKind } from './request-parts.ts';
import { byToolKind, CALL_KINDS, NATIVE_CALL_KINDS, NATIVE_RETURN_KINDS } from './tool-kinds.ts';
import { freeObject } from './wire/free-json.ts';
import { filled, nullable, required } from './wire/object.ts';
import { unionOf, type Variant, variantsBy } from './wire/union.ts';
import { oneOf, same, text, type Wire } from './wire/wire.ts';

const part = variantsBy('part_kind');

const args: Wire<ToolCallPart['args']> = same((value, trail) => {
  if (typeof value === 'string' || value === null) return value;
  return isPlainObject(value)
    ? freeObject.load(value, trail)
    : trail.mismatch('an object, a string or null', value);
});

const callFields = {
  toolName: required(text),
  args: filled(args, () => null),
  toolCallId: required(text),
  toolKind: nullable(toolKind),
  ...providerFields,
};

/** A tool call of the model, as it stands among deferred requests. */
export const toolCall: Variant<ToolCallPart> = part<ToolCallPart>('tool-call', callFields);

/** A part of what a model answers. */
export const responsePart: Wire<ResponsePart> = unionOf<ResponsePart>('part_kind', {
  text: part<TextPart>('text', { content: required(text), ...providerFields }),
  thinking: part<ThinkingPart>('thinking', {
    content: required(text),
    signature: nullable(text),
    ...providerFields,
  }),
  'tool-call': byToolKind(toolCall, CALL_KINDS),
  'native-tool-call': byToolKind(
    part<NativeToolCallPart>('native-tool-call', callFields, 'builtin-tool-call'),
    NATIVE_CALL_KINDS,
  ),
  'native-tool-return': byToolKind(
    withOwnOutcomes(
      part<NativeToolReturnPart>(
        'native-tool-return',
        {
          ...returnFields,
          providerName: providerFields.providerName,
          providerDetails: providerFields.providerDetails,
        },
        'builtin-tool-return',
      ),
    ),
    NATIVE_RETURN_KINDS,
  ),
  file: part<FilePart>('file', { content: required(binary), ...providerFields }),
  compaction: part<CompactionPart>('compaction', { content: nullable(text), ...providerFields }),
  speech: part<AssistantSpeechPart>('speech', {
    speaker: required(oneOf('assistant')),
    ...speechFields,
  }),
});
