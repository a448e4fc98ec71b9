import type { DeferredToolRequests } from '../deferred/requests.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import type { ToolAvailabilityDeltaPart, ToolResultPart } from '../messages/request-part.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { PartDelta, PartStart } from '../models/model.ts';
import type { ResponsePart, ToolCallPart } from '../messages/response-part.ts';

/** Something happened in a run. */
export type StepEvent = (PartStart | PartDelta | PartEnd | FinalResultEvent | ToolEvent) &
  ReplayedEvent;

/** Marks events that an earlier attempt at the run has emitted. */
export interface ReplayedEvent {
  /**
   * Set if the event reports something that the environment recorded in an earlier attempt at this run, and that did
   * not happen again in this one. It was emitted then, unless the process died at that moment.
   *
   * Ignore such events if you notify other systems; use them if you rebuild the state of a run.
   */
  readonly replayed?: true | undefined;
}

/** A part of the model's answer is complete. */
export interface PartEnd {
  readonly kind: 'part-end';
  readonly index: number;
  readonly part: ResponsePart;
}

/**
 * From here on, the response can be what the run ends with: text, an output tool call (with `toolName`
 * and `toolCallId`), or a call to a tool that always defers.
 *
 * It comes before anything is validated, so it is not the end: a handler may resolve the deferred call,
 * and an output may go back to the model. Wait for `run-result` to know how the run ended.
 */
export interface FinalResultEvent {
  readonly kind: 'final-result';
  readonly toolName?: string | undefined;
  readonly toolCallId?: string | undefined;
}

/** Takes the events of a run; a promise if it wants to be waited for. */
export type EventSink = (event: StepEvent) => Promise<void> | undefined;

/** Something happened to a tool call. */
export type ToolEvent =
  | ToolCallEvent
  | ToolResultEvent
  | OutputToolCallEvent
  | OutputToolResultEvent
  | ToolsAvailableEvent
  | DeferredRequestsEvent
  | DeferredResultsEvent;

/** A call was checked and is about to run. */
export interface ToolCallEvent {
  readonly kind: 'tool-call';
  readonly part: ToolCallPart;
  /** Whether the arguments fit; `undefined` where they are not looked at. */
  readonly argsValid: boolean | undefined;
}

/** A call has its result. */
export interface ToolResultEvent {
  readonly kind: 'tool-result';
  readonly part: ToolResultPart;
  /** What the tool shows the model beside its result. */
  readonly content?: UserPrompt | undefined;
}

/** The model called an output tool. */
export interface OutputToolCallEvent {
  readonly kind: 'output-tool-call';
  readonly part: ToolCallPart;
  /** Whether the arguments fit; `undefined` where they are not looked at. */
  readonly argsValid: boolean | undefined;
}

/** An output was processed. */
export interface OutputToolResultEvent {
  readonly kind: 'output-tool-result';
  readonly part: ToolResultPart;
}

/** A tool has surfaced others. */
export interface ToolsAvailableEvent {
  readonly kind: 'tools-available';
  readonly part: ToolAvailabilityDeltaPart;
}

/** Calls wait for answers. */
export interface DeferredRequestsEvent {
  readonly kind: 'deferred-requests';
  readonly requests: DeferredToolRequests;
}

/** Handlers have given answers. */
export interface DeferredResultsEvent {
  readonly kind: 'deferred-results';
  readonly results: DeferredToolResults;
}
