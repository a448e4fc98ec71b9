import type { DeferredToolRequests } from '../deferred/requests.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import type { ToolAvailabilityDeltaPart, ToolResultPart } from '../messages/request-part.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { AgentCall } from '../deferred/nested-calls.ts';
import type { PartDelta, PartStart } from '../models/model.ts';
import type { ResponsePart, ToolCallPart } from '../messages/response-part.ts';

/** An event of a run, or of one of its sub-agents if the run has the option `events.subAgents`. */
export type StepEvent = RunEvent | (SubAgentEvent & ReplayedEvent);

/** An event of the run itself. */
export type RunEvent = (
  | ResponseStart
  | PartStart
  | PartDelta
  | PartEnd
  | FinalResultEvent
  | ToolEvent
) &
  ReplayedEvent;

/**
 * An event of a sub-agent, in the stream of the run that delegated to it. A run emits these only with the option
 * `events: { subAgents: true }`.
 */
export interface SubAgentEvent {
  readonly kind: 'sub-agent-event';
  /**
   * The calls to sub-agents that led to the event, outermost first, as in `path` of a pending call. It is empty if a
   * hook started the sub-agent.
   */
  readonly path: readonly AgentCall[];
  /** The event as the sub-agent emitted it. */
  readonly event: RunEvent;
}

/**
 * A model response begins.
 *
 * The event precedes the parts of the response, and is also emitted for a response without parts.
 * If a second one follows without a tool event or the end of a run in between, the first response
 * broke off, and a hook or a fallback model requested another one.
 */
export interface ResponseStart {
  readonly kind: 'response-start';
  /** The id of the run that requested the response. */
  readonly runId: string;
  /** The number of model requests of that run so far, this one included. */
  readonly runStep: number;
}

/** The mark of events that an earlier attempt at the run has emitted. */
export interface ReplayedEvent {
  /**
   * Set if the environment replayed the event from an earlier attempt at this run.
   *
   * That attempt also emitted it, unless its process died at that moment. Ignore such events if you
   * notify other systems. Use them if you rebuild the state of a run.
   */
  readonly replayed?: true | undefined;
}

/** A part of the model's response is complete. */
export interface PartEnd {
  readonly kind: 'part-end';
  readonly index: number;
  readonly part: ResponsePart;
}

/**
 * The response may end the run: with text, an output tool call (with `toolName` and `toolCallId`), or a call to a tool
 * that always defers.
 *
 * The event is emitted before validation, so the run may continue: a handler may resolve the deferred call, and an
 * invalid output is returned to the model. The event `run-result` has the end of the run.
 */
export interface FinalResultEvent {
  readonly kind: 'final-result';
  readonly toolName?: string | undefined;
  readonly toolCallId?: string | undefined;
}

/** Receives the events of a run. It returns a promise if the run has to wait for it. */
export type EventSink = (event: StepEvent) => Promise<void> | undefined;

/** An event of a tool call. */
export type ToolEvent =
  | ToolCallEvent
  | ToolResultEvent
  | OutputToolCallEvent
  | OutputToolResultEvent
  | ToolsAvailableEvent
  | DeferredRequestsEvent
  | DeferredResultsEvent;

/** A call was validated and is about to execute. */
export interface ToolCallEvent {
  readonly kind: 'tool-call';
  readonly part: ToolCallPart;
  /** True if the arguments are valid; `undefined` if they were not validated. */
  readonly argsValid: boolean | undefined;
}

/** A call has a result. */
export interface ToolResultEvent {
  readonly kind: 'tool-result';
  readonly part: ToolResultPart;
  /** Content that the tool sends to the model in addition to its result. */
  readonly content?: UserPrompt | undefined;
}

/** The model called an output tool. */
export interface OutputToolCallEvent {
  readonly kind: 'output-tool-call';
  readonly part: ToolCallPart;
  /** True if the arguments are valid; `undefined` if they were not validated. */
  readonly argsValid: boolean | undefined;
}

/** An output was processed. */
export interface OutputToolResultEvent {
  readonly kind: 'output-tool-result';
  readonly part: ToolResultPart;
}

/** A tool has revealed hidden tools. */
export interface ToolsAvailableEvent {
  readonly kind: 'tools-available';
  readonly part: ToolAvailabilityDeltaPart;
}

/** Calls were deferred. */
export interface DeferredRequestsEvent {
  readonly kind: 'deferred-requests';
  readonly requests: DeferredToolRequests;
}

/** Handlers have returned decisions and results. */
export interface DeferredResultsEvent {
  readonly kind: 'deferred-results';
  readonly results: DeferredToolResults;
}

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
