import type { RunEnd } from '../capabilities/ended.ts';
import type { DeferredToolRequests } from '../deferred/requests.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import type { ModelResponse } from '../messages/message.ts';
import type { RequestPart } from '../messages/request-part.ts';

/** Where a run is: what it does next, or how it ended. */
export type Step = RequestModel | CallTools | ApplyResults | ResolveDeferred | RunEnd;

/** Hands out the steps of a run one by one, each before it is taken. */
export interface Steps {
  /** The next step, the end last; `undefined` when the end was handed out and everything is put away. */
  next(): Promise<Step | undefined>;
  /** Takes all steps that are left; `undefined` if everything was put away before the end. */
  finish(): Promise<RunEnd | undefined>;
  /** Ends the run where it is: records what it has done so far, and closes its toolsets. */
  stop(): Promise<void>;
}

/** Whether a run is over with this step. */
export function isEnd(step: Step): step is RunEnd {
  return step.kind === 'finished' || step.kind === 'parked';
}

/** The next request goes to the model. */
export interface RequestModel {
  readonly kind: 'request-model';
  /** What the request will say. */
  readonly parts: readonly RequestPart[];
}

/** The model has answered; its tool calls run, or its answer becomes the output. */
export interface CallTools {
  readonly kind: 'call-tools';
  readonly response: ModelResponse;
  /** Whether the response came with the history, so that some of its calls may have their results. */
  readonly isOld?: boolean | undefined;
}

/** Somebody has answered the calls that the history is parked on: they run, or their results are told. */
export interface ApplyResults {
  readonly kind: 'apply-results';
  readonly results: DeferredToolResults;
}

/** Calls wait for answers; handlers are asked for them. */
export interface ResolveDeferred {
  readonly kind: 'resolve-deferred';
  readonly requests: DeferredToolRequests;
}
