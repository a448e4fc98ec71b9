import type { EventSink, StepEvent } from '../events/run-events.ts';

/** Returns a sink that passes events to two sinks; `undefined` if there is none. */
export function joinSinks(
  first: EventSink | undefined,
  second: EventSink | undefined,
): EventSink | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return (event) => {
    const waiting = [first(event), second(event)].filter((one) => one !== undefined);
    // A rejection reaches the code that awaits the event, also while an earlier promise is pending.
    for (const one of waiting) one.catch(() => {});
    return waiting.length === 0 ? undefined : untilAll(waiting);
  };
}

async function untilAll(waiting: readonly Promise<void>[]): Promise<void> {
  for (const one of waiting) await one;
}

/** Returns a sink that passes events to a handler and, if there is one, to another sink. */
export function addEventHandler(
  sink: EventSink | undefined,
  onEvent: (event: StepEvent) => void | Promise<void>,
): EventSink {
  let last: Promise<void> = Promise.resolve();
  return (event) => {
    // One event at a time, in order. An error of the handler reaches the code that awaits the event.
    last = last.then(() => onEvent(event));
    last.catch(() => {});
    const streamed = sink?.(event);
    if (streamed === undefined) return last;
    const both = last.then(() => streamed);
    both.catch(() => {});
    return both;
  };
}
