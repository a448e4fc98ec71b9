import type { RunEnd } from '../events/run-end.ts';
import type { DeferredToolRequests } from '../deferred/requests.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import type { ModelResponse } from '../messages/message.ts';
import type { RequestPart } from '../messages/request-part.ts';

/** The next step of a run, or its end. */
export type Step = RequestModel | CallTools | ApplyResults | ResolveDeferred | RunEnd;

/** Sends the next request to the model. */
export interface RequestModel {
  readonly kind: 'request-model';
  /** The parts of the request. */
  readonly parts: readonly RequestPart[];
}

/** Executes the tool calls of a response. Without any, its text becomes the output. */
export interface CallTools {
  readonly kind: 'call-tools';
  readonly response: ModelResponse;
  /** True if the response is from the history, so that some of its calls may have results. */
  readonly isResumed?: boolean | undefined;
}

/** Applies the decisions and results for the pending calls of a parked history. */
export interface ApplyResults {
  readonly kind: 'apply-results';
  readonly results: DeferredToolResults;
}

/** Calls the handlers of deferred calls. */
export interface ResolveDeferred {
  readonly kind: 'resolve-deferred';
  readonly requests: DeferredToolRequests;
}
