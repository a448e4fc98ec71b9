import type { DeferredToolRequests } from '../deferred/requests.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import type { ToolAvailabilityDeltaPart, ToolResultPart } from '../messages/request-part.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { UserPrompt } from '../messages/content.ts';

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
