import type { UiMessage, UiMessageChunk, UiPart } from './ui-message.ts';

/** The headers of the AI SDK's UI message stream. Proxies must not buffer it. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
};

/** A response that is being generated. It proceeds without its readers, and each reader receives all chunks. */
export class LiveResponse {
  readonly #chunks: UiMessageChunk[] = [];
  readonly #onAbandoned: (() => void) | undefined;
  #readers = 0;
  #isDone = false;
  #waiting: (() => void)[] = [];

  /** Takes a function that is called when the last reader leaves before the end. */
  constructor(onAbandoned?: () => void) {
    this.#onAbandoned = onAbandoned;
  }

  /**
   * Reads chunks until the last one, which must not throw, and calls `onEnd` before the reader
   * receives the end.
   */
  async drive(chunks: AsyncIterable<UiMessageChunk>, onEnd?: () => void): Promise<void> {
    for await (const chunk of chunks) {
      this.#chunks.push(chunk);
      this.#wake();
    }
    onEnd?.();
    this.#isDone = true;
    this.#wake();
  }

  /** Returns a response with all chunks. `prefix` follows the start of the message. */
  toResponse(prefix: readonly UiMessageChunk[] = []): Response {
    const encoder = new TextEncoder();
    let index = 0;
    this.#readers += 1;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        while (index === this.#chunks.length && !this.#isDone) await this.#next();
        const chunks = this.#chunks.slice(index);
        const isFirst = index === 0;
        index += chunks.length;
        const frames = isFirst ? [...chunks.slice(0, 1), ...prefix, ...chunks.slice(1)] : chunks;
        if (frames.length > 0) controller.enqueue(encoder.encode(frames.map(chunkFrame).join('')));
        if (!this.#isDone || index < this.#chunks.length) return;
        controller.enqueue(encoder.encode('data: [DONE]\n\n'));
        controller.close();
      },
      cancel: () => {
        this.#readers -= 1;
        if (this.#readers === 0 && !this.#isDone) this.#onAbandoned?.();
      },
    });
    return new Response(body, { headers: HEADERS });
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function chunkFrame(chunk: UiMessageChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** Returns a response that shows the state of a message without executing a run. `decided` has the calls that the client shows as decided. */
export function storedResponse(
  message: UiMessage,
  chunks: readonly UiMessageChunk[],
  decided: readonly string[] = [],
): Response {
  const live = new LiveResponse();
  // The chunks exist already, so this promise never rejects.
  void live.drive(endWithoutLoop(wholeStream(message, chunks), decided));
  return live.toResponse();
}

async function* wholeStream(
  message: UiMessage,
  chunks: readonly UiMessageChunk[],
): AsyncGenerator<UiMessageChunk, void, void> {
  yield { type: 'start', messageId: message.id };
  yield* chunks;
  const calls = callsOfLastStep(message);
  const isPending = calls.some(({ state }) => PENDING.has(state));
  // A client that automatically sends the results of all calls would send them again.
  const isRepeated = calls.length > 0 && !isPending;
  const finishReason = isPending ? 'tool-calls' : isRepeated ? 'interrupted' : 'stop';
  yield { type: 'finish', finishReason };
}

const PENDING: ReadonlySet<string> = new Set(['input-available', 'approval-requested']);

function callsOfLastStep({ parts }: UiMessage): { readonly state: string }[] {
  const start = parts.findLastIndex(({ type }) => type === 'step-start');
  return parts.slice(start + 1).filter((part) => 'toolCallId' in part);
}

type ToolPart = Extract<UiPart, { readonly toolCallId: string }>;

/** Returns the chunks that build a stored message in a client that has none of its parts, without start and finish. */
export function replayChunks(message: UiMessage): UiMessageChunk[] {
  return replayParts(message.id, message.parts);
}

/**
 * Returns the chunks that bring a client up to date that has the first steps of a message. Calls of those steps get their
 * outcomes; later steps are added.
 */
export function catchUpChunks(message: UiMessage, knownSteps: number): UiMessageChunk[] {
  let step = 0;
  const index = message.parts.findIndex(
    (part) => part.type === 'step-start' && ++step > knownSteps,
  );
  const end = index === -1 ? message.parts.length : index;
  const settled = message.parts
    .slice(0, end)
    .flatMap((part) => ('toolCallId' in part ? settleChunks(part) : []));
  return [...settled, ...replayParts(message.id, message.parts.slice(end))];
}

function replayParts(messageId: string, parts: readonly UiPart[]): UiMessageChunk[] {
  const chunks: UiMessageChunk[] = [];
  let isStepOpen = false;
  for (const [index, part] of parts.entries()) {
    if (part.type === 'step-start') {
      if (isStepOpen) chunks.push({ type: 'finish-step' });
      isStepOpen = true;
    }
    chunks.push(...partChunks(part, `${messageId}.stored.${index}`));
  }
  if (isStepOpen) chunks.push({ type: 'finish-step' });
  return chunks;
}

function partChunks(part: UiPart, id: string): UiMessageChunk[] {
  if ('toolCallId' in part) return [...inputChunks(part), ...settleChunks(part)];
  switch (part.type) {
    case 'step-start':
      return [{ type: 'start-step' }];
    case 'text':
    case 'reasoning':
      return [
        { type: `${part.type}-start`, id },
        { type: `${part.type}-delta`, id, delta: part.text },
        { type: `${part.type}-end`, id },
      ];
    default:
      return [part];
  }
}

/**
 * Returns the chunks for the input of a call. `tool-input-available` calls `onToolCall` of the client, which must not
 * happen again for a call that the client is not to execute.
 */
function inputChunks(part: ToolPart): UiMessageChunk[] {
  const { toolCallId, providerExecuted, input } = part;
  const call = {
    toolCallId,
    toolName: part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length),
    ...(part.type === 'dynamic-tool' && {
      dynamic: true,
      ...(part.title && { title: part.title }),
    }),
    ...(providerExecuted && { providerExecuted }),
  };
  if (part.state === 'input-available') return [{ type: 'tool-input-available', ...call, input }];
  return [
    { type: 'tool-input-start', ...call },
    { type: 'tool-input-delta', toolCallId, inputTextDelta: JSON.stringify(input) ?? '' },
  ];
}

/** Returns the chunks for the state of a call beyond its input. */
function settleChunks(part: ToolPart): UiMessageChunk[] {
  const { toolCallId } = part;
  switch (part.state) {
    case 'input-available':
      return [];
    case 'approval-requested':
    case 'approval-responded': {
      const { id: approvalId, requestReason, descriptor, isAutomatic } = part.approval;
      const request: UiMessageChunk = {
        type: 'tool-approval-request',
        approvalId,
        toolCallId,
        ...(requestReason !== undefined && { reason: requestReason }),
        ...(descriptor !== undefined && { approvalDescriptor: descriptor }),
        ...(isAutomatic && { isAutomatic }),
      };
      if (part.state === 'approval-requested') return [request];
      const { approved } = part.approval;
      return [request, { type: 'tool-approval-response', approvalId, approved }];
    }
    case 'output-available':
      return [{ type: 'tool-output-available', toolCallId, output: part.output }];
    case 'output-error':
      return [{ type: 'tool-output-error', toolCallId, errorText: part.errorText }];
    case 'output-denied':
      return [{ type: 'tool-output-denied', toolCallId }];
  }
}

/**
 * Yields chunks, and ends them so that the client does not send its messages again automatically.
 *
 * `useChat` evaluates `sendAutomaticallyWhen` when a stream ends. If a call of the last step is
 * still decided and has neither a result nor a new request, the client would send the same decision
 * again, without end. `interrupted` prevents that. `decided` has the calls that the client shows as
 * decided; some of them may not exist.
 */
export async function* endWithoutLoop(
  chunks: AsyncIterable<UiMessageChunk>,
  decided: readonly string[],
): AsyncGenerator<UiMessageChunk, void, void> {
  const unsettled = new Set(decided);
  for await (const chunk of chunks) {
    switch (chunk.type) {
      case 'start-step':
        // The client considers the calls of the last step only.
        unsettled.clear();
        break;
      case 'tool-approval-response':
        break;
      default:
        if ('toolCallId' in chunk) unsettled.delete(chunk.toolCallId);
    }
    const isLoop = chunk.type === 'finish' && unsettled.size > 0;
    yield isLoop ? { ...chunk, finishReason: 'interrupted' } : chunk;
  }
}
