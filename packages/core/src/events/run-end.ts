import type { DeferredToolRequests } from '../deferred/requests.ts';

/** How a run can end. */
export type RunEnd = FinishedRun | ParkedRun;

/** The run has its output. */
export interface FinishedRun {
  readonly kind: 'finished';
  readonly output: unknown;
}

/** The run waits for answers: a later run goes on with them. */
export interface ParkedRun {
  readonly kind: 'parked';
  readonly requests: DeferredToolRequests;
}
