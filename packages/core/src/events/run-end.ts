import type { DeferredToolRequests } from '../deferred/requests.ts';

/** How a run can end. */
export type Ended = Finished | Parked;

/** The run has its output. */
export interface Finished {
  readonly kind: 'finished';
  readonly output: unknown;
}

/** The run waits for answers: a later run goes on with them. */
export interface Parked {
  readonly kind: 'parked';
  readonly requests: DeferredToolRequests;
}
