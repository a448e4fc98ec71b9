import type { JsonValue } from '../../internal/json.ts';
import type { ModelStreamEvent } from '../model.ts';
import type { SdkStreamPiece } from './response-pieces.ts';
import {
  type ModelInfo,
  fromEnd,
  toExtra,
  toFile,
  toNativeReturn,
  unsupportedApproval,
} from './from-content.ts';
import type {
  LanguageModelEnd,
  LanguageModelResponseMetadata,
  LanguageModelStream,
} from './language-model.ts';
import { StreamedParts } from './streamed-parts.ts';
import { incompleteResponse, toRequestError, toStreamError } from './to-model-error.ts';

/**
 * Converts a streamed response to events. Ends with `finish` or throws.
 *
 * Leaving the loop, or aborting the signal, cancels the stream of the provider.
 */
export async function* fromStream(
  request: () => PromiseLike<LanguageModelStream>,
  modelInfo: ModelInfo,
  signal: AbortSignal,
): AsyncGenerator<ModelStreamEvent, void, undefined> {
  const reader = await openStream(request, modelInfo, signal);
  const cancel = () => {
    // The result of a cancelled stream is not needed.
    reader.cancel().catch(() => {});
  };
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  try {
    const response = new StreamedResponse(modelInfo);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield* response.add(value);
    }
    signal.throwIfAborted();
    yield* response.end();
  } catch (error) {
    throw toStreamError(error, modelInfo.name, signal);
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

async function openStream(
  request: () => PromiseLike<LanguageModelStream>,
  modelInfo: ModelInfo,
  signal: AbortSignal,
): Promise<ReadableStreamDefaultReader<SdkStreamPiece>> {
  try {
    const { stream } = await request();
    // `add` skips kinds of later specifications.
    return (stream as ReadableStream<SdkStreamPiece>).getReader();
  } catch (error) {
    throw toRequestError(error, modelInfo.name, signal);
  }
}

/** A response while it is streamed. It stores the data that belongs to the whole response. */
class StreamedResponse {
  readonly #modelInfo: ModelInfo;
  readonly #parts: StreamedParts;
  readonly #extras: JsonValue[] = [];
  #metadata: LanguageModelResponseMetadata | undefined;
  #end: LanguageModelEnd | undefined;

  constructor(modelInfo: ModelInfo) {
    this.#modelInfo = modelInfo;
    this.#parts = new StreamedParts(modelInfo);
  }

  *add(piece: SdkStreamPiece): Generator<ModelStreamEvent> {
    switch (piece.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        yield* this.#parts.block(piece);
        break;
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'tool-call':
        yield* this.#parts.call(piece);
        break;
      case 'tool-result':
      case 'file': {
        const part = piece.type === 'file' ? toFile(piece) : toNativeReturn(piece, this.#modelInfo);
        if (part !== undefined) yield* this.#parts.whole(part);
        this.#keepExtra(piece);
        break;
      }
      case 'source':
        this.#keepExtra(piece);
        break;
      case 'response-metadata':
        this.#metadata = { ...this.#metadata, ...piece };
        break;
      case 'finish':
        // The last one counts: a provider may report later that the response is incomplete.
        this.#end = piece;
        break;
      case 'tool-approval-request':
        throw unsupportedApproval(piece, this.#modelInfo);
      case 'error':
        throw piece.error;
    }
  }

  *end(): Generator<ModelStreamEvent> {
    const end = this.#end;
    if (end === undefined || end.finishReason.unified === 'interrupted') {
      const reason = 'the connection ended before the last part';
      throw incompleteResponse(this.#modelInfo.name, reason);
    }
    yield* this.#parts.end();
    const about = { modelInfo: this.#modelInfo, metadata: this.#metadata, extras: this.#extras };
    yield { kind: 'finish', ...fromEnd(end, about) };
  }

  #keepExtra(piece: SdkStreamPiece): void {
    const extra = toExtra(piece);
    if (extra !== undefined) this.#extras.push(extra);
  }
}
