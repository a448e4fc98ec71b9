import { checkOptions, type OptionTable, requireFunction } from '../../errors/check-options.ts';
import type { Model, ModelCall, ModelResponseData, ModelStreamEvent } from '../model.ts';
import type { NativeTool } from '../native-tool.ts';
import {
  callIdsAfter,
  draftToEvents,
  draftToResponse,
  finishEvent,
  NATIVE_SUPPORT_OPTIONS,
  type NativeSupport,
  partToEvents,
  type ResponseDraft,
  type ResponseFields,
  type ResponseLike,
  supportsNativeTool,
  toDraft,
} from './response-draft.ts';

/** Returns the response to a request. */
export type ResponseFunction = (call: ModelCall) => ResponseLike | Promise<ResponseLike>;

/** Streams the response to a request. */
export type StreamFunction = (call: ModelCall) => AsyncIterable<StreamPiece>;

/**
 * A piece of a streamed response: text, the result of a builder such as `calls`, or an event.
 *
 * Consecutive pieces of text are one part.
 */
export type StreamPiece = string | ResponseDraft | ModelStreamEvent;

/** Options of {@link functionModel}. */
export interface FunctionModelOptions extends NativeSupport {
  /** The name of the model. Defaults to `function`. */
  readonly name?: string | undefined;
  /** Streams the responses. By default the result of the function is streamed. */
  readonly stream?: StreamFunction | undefined;
}

const FUNCTION_MODEL_OPTIONS: OptionTable<FunctionModelOptions> = {
  ...NATIVE_SUPPORT_OPTIONS,
  name: 'string',
  stream: 'function',
};

/** A model whose responses a function computes. */
export interface FunctionModel extends Model {
  stream(call: ModelCall): AsyncIterable<ModelStreamEvent>;
  supportsNative(tool: NativeTool): boolean;
}

/**
 * Creates a model whose responses a function computes from the requests.
 *
 * The model has no state. Ids of tool calls continue those in the conversation. A stream ends with a
 * `finish` event even if the streaming function yields none.
 */
export function functionModel(
  respond: ResponseFunction,
  options: FunctionModelOptions = {},
): FunctionModel {
  requireFunction('The first argument of `functionModel`', respond);
  checkOptions('`functionModel`', options, FUNCTION_MODEL_OPTIONS);
  const { name = 'function', stream } = options;
  const draftFor = async (call: ModelCall) => toDraft(await respond(call));

  return {
    name,
    system: 'test',
    supportsNative: (tool) => supportsNativeTool(options, tool),
    async request(call): Promise<ModelResponseData> {
      return draftToResponse(await draftFor(call), name, callIdsAfter(call.messages));
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
  let textIndex: number | undefined;

  for await (const piece of pieces) {
    if (typeof piece === 'string') {
      if (textIndex !== undefined) {
        yield { kind: 'text-delta', index: textIndex, text: piece };
      } else {
        textIndex = nextIndex++;
        yield { kind: 'part-start', index: textIndex, part: { kind: 'text', content: piece } };
      }
      continue;
    }
    if (textIndex !== undefined) yield { kind: 'part-done', index: textIndex };
    textIndex = undefined;
    if (piece.kind === 'response-draft') {
      for (const part of piece.parts) yield* partToEvents(part, nextIndex++, nextId);
      fields = { ...fields, ...piece.fields };
    } else {
      yield piece;
      if (piece.kind === 'finish') return;
      nextIndex = Math.max(nextIndex, piece.index + 1);
    }
  }
  if (textIndex !== undefined) yield { kind: 'part-done', index: textIndex };
  yield finishEvent(fields, modelName);
}
