import type { RunStreamEvent } from '../../stream/run-stream-event.ts';
import type { RunStreamView, RunStreamViews } from '../views/run-stream-view.ts';
import type { EventStream } from './event-stream.ts';

/** The time after which a disconnected client should reconnect, in milliseconds. */
const RETRY_MS = 2_000;

/** Sends the events of a run, each after the client has read the one before, and ends the stream. */
export async function sendRun(
  stream: EventStream,
  events: AsyncIterable<RunStreamEvent>,
  views: RunStreamViews,
): Promise<void> {
  stream.send(`retry: ${RETRY_MS}\n\n`);
  for await (const event of events) {
    const view = await views.of(event);
    if (view !== undefined) stream.send(frameOf(view));
    await stream.drained();
    if (stream.hasEnded) return;
  }
  stream.end();
}

/** Returns an event as text. The client resumes after the last id that it received. */
function frameOf(view: RunStreamView): string {
  const id = 'cursor' in view ? `id: ${view.cursor}\n` : '';
  return `${id}event: ${view.kind}\ndata: ${JSON.stringify(view)}\n\n`;
}
