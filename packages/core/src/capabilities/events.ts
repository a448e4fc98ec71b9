import type { ToolEvent } from '../execution/events.ts';
import type { ResponsePart } from '../messages/response-part.ts';
import type { PartDelta, PartStart } from '../models/model.ts';

/** Something happened in a run. */
export type StepEvent = PartStart | PartDelta | PartEnd | FinalResultEvent | ToolEvent;

/** A part of the model's answer is complete. */
export interface PartEnd {
  readonly kind: 'part-end';
  readonly index: number;
  readonly part: ResponsePart;
}

/** From here on, what comes in can be what the run ends with: text, an output tool call, or a call that waits. */
export interface FinalResultEvent {
  readonly kind: 'final-result';
  readonly toolName?: string | undefined;
  readonly toolCallId?: string | undefined;
}

/** Takes the events of a run; a promise if it wants to be waited for. */
export type EventSink = (event: StepEvent) => Promise<void> | undefined;
