import { type Message, UserError } from 'holdpoint';
import { kindOf } from '../model/check-keys.ts';
import type { LiveEvent, RunStreamEvent } from './run-stream-event.ts';

type ResponsePart = Extract<Message, { kind: 'response' }>['parts'][number];
type ToolResult = Extract<LiveEvent, { kind: 'tool-result' }>['part'];

/**
 * Yields the events of a run as `agent.stream` emits them, from the events of `desk.stream`. Events that the reader
 * did not receive live are created from the stored messages, so each part and each result is complete and occurs once.
 * After a rewind, the next `response-start` replaces the response that broke off.
 */
export async function* stepEventsOf(
  stream: AsyncIterable<RunStreamEvent<unknown>>,
): AsyncGenerator<LiveEvent, void> {
  // Programs without types may pass anything.
  const given: unknown = stream;
  if (typeof Object(given)[Symbol.asyncIterator] !== 'function') {
    throw new UserError(`\`stream\` is ${kindOf(given)}. Pass what \`desk.stream\` returns.`);
  }
  const next = new NextMessage();
  for await (const event of stream) {
    if (event.kind === 'live') {
      next.add(event.event);
      yield event.event;
    } else if (event.kind === 'message') {
      yield* next.restOf(event.message);
      next.reset();
    } else if (event.kind === 'rewind') next.reset();
  }
}

/** The part of the next message that was received live. */
class NextMessage {
  #hasStarted = false;
  /** The parts of a response, with the number of characters so far; `undefined` once a part has ended. */
  readonly #parts = new Map<number, number | undefined>();
  readonly #results = new Set<string>();

  reset(): void {
    this.#hasStarted = false;
    this.#parts.clear();
    this.#results.clear();
  }

  add(event: LiveEvent): void {
    switch (event.kind) {
      case 'response-start':
        this.reset();
        this.#hasStarted = true;
        break;
      case 'part-start':
        this.#parts.set(event.index, 0);
        break;
      case 'text-delta':
      case 'thinking-delta':
      case 'args-delta':
        this.#parts.set(event.index, (this.#parts.get(event.index) ?? 0) + event.text.length);
        break;
      case 'part-end':
        this.#parts.set(event.index, undefined);
        break;
      case 'tool-result':
      case 'output-tool-result':
        if (event.part.toolCallId !== undefined) this.#results.add(event.part.toolCallId);
        break;
      default:
    }
  }

  *restOf(message: Message): Generator<LiveEvent, void> {
    if (message.kind === 'request') {
      for (const part of message.parts) {
        if (!isToolResult(part) || this.#results.has(part.toolCallId ?? '')) continue;
        yield { kind: 'tool-result', part };
      }
      return;
    }
    if (!this.#hasStarted) {
      // The number of the request is not stored.
      yield { kind: 'response-start', runId: message.runId ?? '', runStep: 0 };
    }
    for (const [index, part] of message.parts.entries()) yield* this.#restOfPart(index, part);
  }

  *#restOfPart(index: number, part: ResponsePart): Generator<LiveEvent, void> {
    const isStarted = this.#parts.has(index);
    const received = this.#parts.get(index);
    if (isStarted && received === undefined) return;
    if (!isStarted) yield { kind: 'part-start', index, part: withoutText(part) };
    const text = textOf(part).slice(received ?? 0);
    if (text !== '') yield { kind: deltaKind(part), index, text };
    yield { kind: 'part-end', index, part };
  }
}

function isToolResult(part: Message['parts'][number]): part is ToolResult {
  return part.kind === 'tool-return' || (part.kind === 'retry-prompt' && 'toolCallId' in part);
}

function textOf(part: ResponsePart): string {
  if (part.kind === 'text' || part.kind === 'thinking') return part.content;
  return 'args' in part && typeof part.args === 'string' ? part.args : '';
}

function deltaKind({ kind }: ResponsePart): 'text-delta' | 'thinking-delta' | 'args-delta' {
  if (kind === 'text') return 'text-delta';
  return kind === 'thinking' ? 'thinking-delta' : 'args-delta';
}

/** Returns a part without the text that arrives later. */
function withoutText(part: ResponsePart): ResponsePart {
  if (part.kind === 'text' || part.kind === 'thinking') return { ...part, content: '' };
  return 'args' in part && typeof part.args === 'string' ? { ...part, args: '' } : part;
}
