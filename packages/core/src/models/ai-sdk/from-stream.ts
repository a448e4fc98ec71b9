import type { JsonObject, JsonValue } from '../../internal/json.ts';
import type { ResponsePart } from '../../messages/response-part.ts';
import type { ModelStreamEvent, PartDone } from '../model.ts';
import {
  fromEnd,
  type ModelInfo,
  signatureIn,
  toCall,
  toDetails,
  toExtra,
  toFile,
  toNativeReturn,
  toThinking,
  unsupportedApproval,
} from './from-content.ts';
import type {
  BlockPiece,
  LanguageModelEnd,
  LanguageModelResponseMetadata,
  LanguageModelStream,
  SdkStreamPiece,
  ToolCallPiece,
  ToolInputDelta,
  ToolInputEnd,
  ToolInputStart,
} from './language-model.ts';
import { isSearch } from './native/search-parts.ts';
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

/** A text or reasoning text that is being streamed. */
interface StreamedBlock {
  readonly kind: 'text' | 'thinking';
  /** The index of the part. `undefined` until the first delta that is not empty. */
  index: number | undefined;
  /** The latest provider metadata. */
  metadata: unknown;
}

/** A tool call whose arguments are being streamed. */
interface StreamedCall {
  readonly start: ToolInputStart;
  index: number | undefined;
  /** The deltas of the arguments so far. */
  readonly args: string[];
  metadata: unknown;
}

/**
 * The parts of a response while it is streamed.
 *
 * A part starts with its first content, and gets the next index then. Each method yields the events that follow
 * from its argument.
 */
class StreamedParts {
  readonly #modelInfo: ModelInfo;
  readonly #blocks = new Map<string, StreamedBlock>();
  readonly #calls = new Map<string, StreamedCall>();
  #started = 0;

  constructor(modelInfo: ModelInfo) {
    this.#modelInfo = modelInfo;
  }

  /** Adds a complete part. */
  *whole(part: ResponsePart): Generator<ModelStreamEvent> {
    const index = this.#started++;
    yield { kind: 'part-start', index, part };
    yield { kind: 'part-done', index };
  }

  /** Adds a piece of a text or reasoning text. */
  *block(piece: BlockPiece): Generator<ModelStreamEvent> {
    const kind = piece.type.startsWith('text') ? 'text' : 'thinking';
    const key = `${kind} ${piece.id}`;
    const block = this.#blocks.get(key) ?? { kind, index: undefined, metadata: undefined };
    this.#blocks.set(key, block);
    block.metadata = piece.providerMetadata ?? block.metadata;

    if ('delta' in piece) {
      if (piece.delta === '') return;
      if (block.index === undefined) {
        block.index = this.#started++;
        const part = { kind, content: piece.delta } as const;
        yield { kind: 'part-start', index: block.index, part };
      } else {
        yield { kind: `${kind}-delta`, index: block.index, text: piece.delta };
      }
    } else if (piece.type.endsWith('-end')) {
      this.#blocks.delete(key);
      yield* this.#endBlock(block);
    }
  }

  /** Adds a piece of a tool call. The call itself is last and may be the only piece. */
  *call(
    piece: ToolInputStart | ToolInputDelta | ToolInputEnd | ToolCallPiece,
  ): Generator<ModelStreamEvent> {
    if (piece.type === 'tool-input-start') {
      const { providerMetadata: metadata } = piece;
      this.#calls.set(piece.id, { start: piece, index: undefined, args: [], metadata });
    } else if (piece.type === 'tool-call') {
      const open = this.#calls.get(piece.toolCallId);
      this.#calls.delete(piece.toolCallId);
      yield* this.#endCall(piece, open);
    } else {
      const open = this.#calls.get(piece.id);
      if (open === undefined) return;
      open.metadata = piece.providerMetadata ?? open.metadata;
      if (piece.type === 'tool-input-delta') yield* this.#moreArgs(piece.delta, open);
    }
  }

  /** Ends the parts that the provider did not end. */
  *end(): Generator<ModelStreamEvent> {
    for (const block of this.#blocks.values()) yield* this.#endBlock(block);
    for (const open of this.#calls.values()) {
      const { id: toolCallId, toolName, providerExecuted = false } = open.start;
      const call = { toolCallId, toolName, providerExecuted, providerMetadata: open.metadata };
      yield* this.#endCall({ type: 'tool-call', input: open.args.join(''), ...call }, open);
    }
    this.#blocks.clear();
    this.#calls.clear();
  }

  *#endBlock({ kind, index, metadata }: StreamedBlock): Generator<ModelStreamEvent> {
    const details = toDetails(metadata);
    if (index !== undefined) {
      yield partDone(
        index,
        details,
        kind === 'thinking' && details ? signatureIn(details) : undefined,
      );
    } else if (kind === 'thinking') {
      const thought = toThinking('', details);
      if (thought !== undefined) yield* this.whole(thought);
    }
  }

  *#moreArgs(text: string, open: StreamedCall): Generator<ModelStreamEvent> {
    // If the deltas are not JSON, the call itself has the arguments.
    if (text === '' || open.start.inputEncoding === 'text') return;
    open.args.push(text);
    // Searches are converted to another format, which requires the complete input.
    const { toolName: called, providerExecuted: isNative } = open.start;
    if (isNative && isSearch(called, this.#modelInfo.search)) return;
    if (open.index !== undefined) {
      yield { kind: 'args-delta', index: open.index, text };
      return;
    }
    open.index = this.#started++;
    const { id: toolCallId, toolName, providerExecuted = false } = open.start;
    const piece = {
      type: 'tool-call',
      toolCallId,
      toolName,
      providerExecuted,
      input: text,
    } as const;
    const part = toCall(piece, this.#modelInfo);
    yield { kind: 'part-start', index: open.index, part };
  }

  *#endCall(piece: ToolCallPiece, open: StreamedCall | undefined): Generator<ModelStreamEvent> {
    const metadata = piece.providerMetadata ?? open?.metadata;
    if (open?.index === undefined) {
      yield* this.whole(toCall({ ...piece, providerMetadata: metadata }, this.#modelInfo));
      return;
    }
    // Deltas were already emitted. The call can only add text after them.
    const text = open.args.join('');
    if (piece.input.length > text.length && piece.input.startsWith(text)) {
      yield { kind: 'args-delta', index: open.index, text: piece.input.slice(text.length) };
    }
    yield partDone(open.index, toDetails(metadata), undefined);
  }
}

function partDone(
  index: number,
  providerDetails: JsonObject | undefined,
  signature: string | undefined,
): PartDone {
  if (providerDetails === undefined) return { kind: 'part-done', index };
  const fields = { providerDetails, ...(signature !== undefined && { signature }) };
  return { kind: 'part-done', index, fields };
}
