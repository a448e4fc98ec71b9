import type { ModelResponse } from '../messages/message.ts';
import type { RequestPart } from '../messages/request-part.ts';

/** Where a run is: what it does next, or how it ended. */
export type Step = RequestModel | CallTools | Finished;

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
}

/** The run has its output. */
export interface Finished {
  readonly kind: 'finished';
  readonly output: unknown;
}
