import type { ResponsePart } from '../../messages/response-part.ts';
import type { ModelStreamEvent, PartDelta, StreamFinish } from '../model.ts';
import type { NextCallId } from './call-ids.ts';
import {
  argsText,
  completePart,
  type DraftPart,
  type ResponseDraft,
  type ResponseFields,
} from './response-draft.ts';

/** The events of a reply: each part from its start to its end, one after the other, then the finish. */
export function* draftToEvents(
  draft: ResponseDraft,
  modelName: string,
  nextId: NextCallId,
): Generator<ModelStreamEvent, void> {
  for (const [index, part] of draft.parts.entries()) yield* partToEvents(part, index, nextId);
  yield finishEvent(draft.fields, modelName);
}

/**
 * The events of one part: its first piece comes with the start, a signature with the end.
 *
 * Arguments are streamed as text, as providers do: an object becomes JSON, `null` becomes nothing.
 */
export function* partToEvents(
  draft: DraftPart,
  index: number,
  nextId: NextCallId,
): Generator<ModelStreamEvent, void> {
  const part = structuredClone(completePart(draft.part, nextId));
  const [first, ...rest] = draft.chunks ?? [];
  yield { kind: 'part-start', index, part: startOf(part, first) };
  for (const text of rest) yield deltaOf(part, index, text);
  const signature = part.kind === 'thinking' ? part.signature : undefined;
  yield { kind: 'part-done', index, ...(signature !== undefined && { fields: { signature } }) };
}

/** The end of a stream. */
export function finishEvent(fields: ResponseFields, modelName: string): StreamFinish {
  return structuredClone({ modelName, ...fields, kind: 'finish' as const });
}

function startOf(part: ResponsePart, first: string | undefined): ResponsePart {
  switch (part.kind) {
    case 'text':
      return { ...part, content: first ?? part.content };
    case 'thinking': {
      const { signature: _, ...unsigned } = part;
      return { ...unsigned, content: first ?? part.content };
    }
    case 'tool-call':
    case 'native-tool-call':
      return { ...part, args: first ?? argsText(part.args) };
    case 'native-tool-return':
    case 'file':
    case 'compaction':
    case 'speech':
      return part;
  }
}

function deltaOf(part: ResponsePart, index: number, text: string): PartDelta {
  if (part.kind === 'text') return { kind: 'text-delta', index, text };
  if (part.kind === 'thinking') return { kind: 'thinking-delta', index, text };
  return { kind: 'args-delta', index, text };
}
