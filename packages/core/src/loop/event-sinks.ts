import type { EventSink, StepEvent } from '../events/run-events.ts';

/** Tells a handler of the events and, where there is one, another sink as well. */
export function sinkWithHandler(
  sink: EventSink | undefined,
  onEvent: ((event: StepEvent) => void | Promise<void>) | undefined,
): EventSink | undefined {
  if (onEvent === undefined) return sink;
  let last: Promise<void> = Promise.resolve();
  return (event) => {
    // One event at a time, in order; an error of the handler reaches whoever waits for it.
    last = last.then(() => onEvent(event));
    last.catch(() => {});
    const streamed = sink?.(event);
    if (streamed === undefined) return last;
    const both = last.then(() => streamed);
    both.catch(() => {});
    return both;
  };
}
