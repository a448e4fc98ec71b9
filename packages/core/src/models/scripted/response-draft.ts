import type { ResponsePart, ToolCallPart } from '../../messages/response-part.ts';
import type { ModelReply } from '../model.ts';
import type { NextCallId } from './call-ids.ts';

/**
 * A reply in the making, as `says`, `calls`, `thinks` and `reply` give it.
 *
 * A test model makes a fresh reply of it for every request, and a stream where one is asked for.
 */
export interface ResponseDraft {
  readonly kind: 'response-draft';
  readonly parts: readonly DraftPart[];
  readonly fields: ResponseFields;
}

/** What a reply says besides its parts. */
export type ResponseFields = Omit<ModelReply, 'parts'>;

/** A part of a {@link ResponseDraft}. */
export interface DraftPart {
  /** The part; a tool call without an id gets one when the reply is made. */
  readonly part: Exclude<ResponsePart, ToolCallPart> | DraftToolCall;
  /** The pieces in which its text or arguments are streamed; absent for one piece. */
  readonly chunks?: readonly string[] | undefined;
}

/** A tool call that may still lack its id. */
export interface DraftToolCall extends Omit<ToolCallPart, 'toolCallId'> {
  readonly toolCallId?: string | undefined;
}

/** Whatever can be made into a reply; plain text is a reply with that text. */
export type ResponseLike = string | ResponseDraft | ModelReply;

/** Makes a draft of anything that can be a reply. */
export function toDraft(reply: ResponseLike): ResponseDraft {
  if (typeof reply === 'string') {
    return {
      kind: 'response-draft',
      parts: [{ part: { kind: 'text', content: reply } }],
      fields: {},
    };
  }
  if ('kind' in reply) return reply;
  const { parts, ...fields } = reply;
  return { kind: 'response-draft', parts: parts.map((part) => ({ part })), fields };
}

/** A reply made of fresh copies: the run freezes what it gets, and the draft may be used again. */
export function draftToReply(
  draft: ResponseDraft,
  modelName: string,
  nextId: NextCallId,
): ModelReply {
  const parts = draft.parts.map(({ part }) => completePart(part, nextId));
  return structuredClone({ modelName, ...draft.fields, parts });
}

/** Arguments as the text that a provider sends. */
export function argsText(args: object | string | null): string {
  if (args === null) return '';
  return typeof args === 'string' ? args : JSON.stringify(args);
}

/** The part of a draft with an id, where it needs one. */
export function completePart(part: DraftPart['part'], nextId: NextCallId): ResponsePart {
  if (part.kind !== 'tool-call') return part;
  return { ...part, toolCallId: part.toolCallId ?? nextId() };
}
