import { checkOptions, type OptionTable } from '../../errors/check-options.ts';
import type { Model, ModelCall, ModelReply, ModelStreamEvent } from '../model.ts';
import type { NativeTool } from '../native-tool.ts';
import { callIdsAfter } from './call-ids.ts';
import { draftToEvents, finishEvent, partToEvents } from './draft-stream.ts';
import { hasNative, NATIVE_SUPPORT, type NativeSupport } from './native-support.ts';
import {
  draftToReply,
  type ResponseDraft,
  type ResponseFields,
  type ResponseLike,
  toDraft,
} from './response-draft.ts';

/** Answers a call. */
export type ResponseFunction = (call: ModelCall) => ResponseLike | Promise<ResponseLike>;

/** Answers a call piece by piece. */
export type StreamFunction = (call: ModelCall) => AsyncIterable<StreamPiece>;

/**
 * A piece of a streamed answer: more text, what a builder such as `calls` made, or an event as it is.
 *
 * Pieces of text that follow each other are one part.
 */
export type StreamPiece = string | ResponseDraft | ModelStreamEvent;

/** How a {@link functionModel} is called, how it streams and what it has. */
export interface FunctionModelOptions extends NativeSupport {
  /** The name of the model; `function` unless said otherwise. */
  readonly name?: string | undefined;
  /** Answers streamed requests; without it they get the function's answer, piece by piece. */
  readonly stream?: StreamFunction | undefined;
}

const OPTIONS: OptionTable<FunctionModelOptions> = {
  ...NATIVE_SUPPORT,
  name: 'string',
  stream: 'function',
};

/** A model that can also stream. */
export interface FunctionModel extends Model {
  stream(call: ModelCall): AsyncIterable<ModelStreamEvent>;
  supportsNative(tool: NativeTool): boolean;
}

/**
 * A model whose answers are computed from what it is asked.
 *
 * It keeps nothing between calls. Tool calls without an id are numbered on from those in the
 * conversation. A stream ends with a `finish` even if the streaming function gives none.
 */
export function functionModel(
  answer: ResponseFunction,
  options: FunctionModelOptions = {},
): FunctionModel {
  checkOptions('`functionModel`', options, OPTIONS);
  const { name = 'function', stream } = options;
  const draftFor = async (call: ModelCall) => toDraft(await answer(call));

  return {
    name,
    system: 'test',
    supportsNative: (tool) => hasNative(options, tool),
    async request(call): Promise<ModelReply> {
      return draftToReply(await draftFor(call), name, callIdsAfter(call.messages));
    },
    async *stream(call): AsyncGenerator<ModelStreamEvent, void> {
      if (stream) yield* piecesToEvents(stream(call), name, call);
      else yield* draftToEvents(await draftFor(call), name, callIdsAfter(call.messages));
    },
  };
}

async function* piecesToEvents(
  pieces: AsyncIterable<StreamPiece>,
  modelName: string,
  call: ModelCall,
): AsyncGenerator<ModelStreamEvent, void> {
  const nextId = callIdsAfter(call.messages);
  let fields: ResponseFields = {};
  let nextIndex = 0;
  let openText: number | undefined;

  for await (const piece of pieces) {
    if (typeof piece === 'string') {
      if (openText !== undefined) {
        yield { kind: 'text-delta', index: openText, text: piece };
      } else {
        openText = nextIndex++;
        yield { kind: 'part-start', index: openText, part: { kind: 'text', content: piece } };
      }
      continue;
    }
    if (openText !== undefined) yield { kind: 'part-done', index: openText };
    openText = undefined;
    if (piece.kind === 'response-draft') {
      for (const part of piece.parts) yield* partToEvents(part, nextIndex++, nextId);
      fields = { ...fields, ...piece.fields };
    } else {
      yield piece;
      if (piece.kind === 'finish') return;
      nextIndex = Math.max(nextIndex, piece.index + 1);
    }
  }
  if (openText !== undefined) yield { kind: 'part-done', index: openText };
  yield finishEvent(fields, modelName);
}
