import { requestsCodec, resultsCodec } from '../deferred/codec/index.ts';
import { AgentError } from '../errors/agent-errors.ts';
import type { StepEvent } from '../events/run-events.ts';
import type { ParkedResult, RunResult } from './run-handle.ts';

/** The headers of a response with server-sent events. Proxies must not buffer it. */
const SSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

type SentEvent =
  | StepEvent
  | { readonly kind: 'run-result'; readonly result: RunResult | ParkedResult };

/**
 * Returns events as server-sent events: one `data:` line with JSON per event. The reader determines the pace, and
 * cancelling the stream ends the iteration.
 */
export function serverSentEvents(events: AsyncIterable<SentEvent>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { text, isLast } = await nextFrame(iterator);
        if (text !== undefined) controller.enqueue(encoder.encode(text));
        if (isLast) controller.close();
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    // No event is requested before the reader asks for it.
    { highWaterMark: 0 },
  );
}

interface Frame {
  /** Absent at the end. */
  readonly text?: string;
  readonly isLast: boolean;
}

async function nextFrame(iterator: AsyncIterator<SentEvent, undefined>): Promise<Frame> {
  try {
    const next = await iterator.next();
    return next.done ? { isLast: true } : { text: frameOf(eventToJson(next.value)), isLast: false };
  } catch (error) {
    // The message of an error may contain data of the server, so the client receives only its code.
    const code = error instanceof AgentError ? error.code : undefined;
    return {
      text: frameOf({ kind: 'error', message: 'The run failed.', ...(code && { code }) }),
      isLast: true,
    };
  }
}

/** Returns a response with server-sent events. Headers of `init` take precedence. */
export function sseResponse(body: ReadableStream<Uint8Array>, init?: ResponseInit): Response {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(SSE_HEADERS)) {
    if (!headers.has(name)) headers.set(name, value);
  }
  return new Response(body, { ...init, headers });
}

/** Returns the JSON form of an event. It contains no messages, because those of a parked run contain its step record. */
function eventToJson(event: SentEvent): object {
  switch (event.kind) {
    case 'deferred-requests':
      return { ...event, requests: requestsCodec.toJSON(event.requests) };
    case 'deferred-results':
      return { ...event, results: resultsCodec.toJSON(event.results) };
    case 'sub-agent-event':
      return { ...event, event: eventToJson(event.event) };
    case 'run-result':
      return { kind: event.kind, result: resultToJson(event.result) };
    default:
      return event;
  }
}

function resultToJson({ status, output, runId, conversationId }: RunResult | ParkedResult): object {
  const shown = status === 'parked' ? requestsCodec.toJSON(output) : output;
  return { status, output: shown, runId, conversationId };
}

function frameOf(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
