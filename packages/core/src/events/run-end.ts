import type { DeferredToolRequests } from '../deferred/requests.ts';

/** The end of a run. */
export type RunEnd = FinishedRun | ParkedRun;

/** The run finished with an output. */
export interface FinishedRun {
  readonly kind: 'finished';
  readonly output: unknown;
}

/** The run parked with pending calls. A later run resumes it. */
export interface ParkedRun {
  readonly kind: 'parked';
  readonly requests: DeferredToolRequests;
}
