import type { JsonValue } from '../../internal/json.ts';
import type { ModelStreamEvent } from '../model.ts';
import type { StreamPiece } from './answer-parts.ts';
import {
  type Answerer,
  fromEnd,
  toExtra,
  toFile,
  toNativeReturn,
  unanswerable,
} from './from-content.ts';
import type {
  LanguageModelEnd,
  LanguageModelResponseMetadata,
  LanguageModelStream,
} from './language-model.ts';
import { StreamedParts } from './streamed-parts.ts';
import { brokenOff, toRequestError, toStreamError } from './to-model-error.ts';

/**
 * An answer that comes in piece by piece, as our events; ends with `finish` or throws.
 *
 * Leaving the loop over it, and an abort, cancel the stream of the provider.
 */
export async function* fromStream(
  request: () => PromiseLike<LanguageModelStream>,
  answerer: Answerer,
  signal: AbortSignal,
): AsyncGenerator<ModelStreamEvent, void, undefined> {
  const reader = await open(request, answerer, signal);
  const cancel = () => {
    // Whoever cancels no longer cares how the stream ends.
    reader.cancel().catch(() => {});
  };
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  try {
    const answer = new StreamedAnswer(answerer);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield* answer.take(value);
    }
    signal.throwIfAborted();
    yield* answer.end();
  } catch (error) {
    throw toStreamError(error, answerer.name, signal);
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

async function open(
  request: () => PromiseLike<LanguageModelStream>,
  answerer: Answerer,
  signal: AbortSignal,
): Promise<ReadableStreamDefaultReader<StreamPiece>> {
  try {
    const { stream } = await request();
    // The specification says which kinds there are; `take` passes over those of its later versions.
    return (stream as ReadableStream<StreamPiece>).getReader();
  } catch (error) {
    throw toRequestError(error, answerer.name, signal);
  }
}

/** One answer while it comes in: sorts its pieces and keeps what belongs to the whole. */
class StreamedAnswer {
  readonly #answerer: Answerer;
  readonly #parts: StreamedParts;
  readonly #extras: JsonValue[] = [];
  #metadata: LanguageModelResponseMetadata | undefined;
  #end: LanguageModelEnd | undefined;

  constructor(answerer: Answerer) {
    this.#answerer = answerer;
    this.#parts = new StreamedParts(answerer);
  }

  *take(piece: StreamPiece): Generator<ModelStreamEvent> {
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
        const part = piece.type === 'file' ? toFile(piece) : toNativeReturn(piece, this.#answerer);
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
        // The last one counts: a provider may report that the answer broke off after all.
        this.#end = piece;
        break;
      case 'tool-approval-request':
        throw unanswerable(piece, this.#answerer);
      case 'error':
        throw piece.error;
    }
  }

  *end(): Generator<ModelStreamEvent> {
    const end = this.#end;
    if (end === undefined || end.finishReason.unified === 'interrupted') {
      const reason = 'the connection ended before the answer was complete';
      throw brokenOff(this.#answerer.name, reason);
    }
    yield* this.#parts.end();
    const about = { answerer: this.#answerer, metadata: this.#metadata, extras: this.#extras };
    yield { kind: 'finish', ...fromEnd(end, about) };
  }

  #keepExtra(piece: StreamPiece): void {
    const extra = toExtra(piece);
    if (extra !== undefined) this.#extras.push(extra);
  }
}
