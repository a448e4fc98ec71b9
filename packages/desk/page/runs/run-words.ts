import type { RunSummary } from '../client/types.ts';

/** The state of a run. */
export type RunState = RunSummary['state'];

/** What the states of runs mean. */
export const RUN_STATES: Readonly<Record<RunState, string>> = {
  ready: 'waits for a worker',
  running: 'is under way',
  parked: 'waits for people',
  stuck: 'is stuck: it was tried too often',
  finished: 'is finished',
  failed: 'has failed',
  cancelled: 'was cancelled',
};

/** All states, in the order in which people look for them. */
// The keys of the table are the states.
export const RUN_STATE_NAMES: readonly RunState[] = Object.keys(RUN_STATES) as RunState[];
