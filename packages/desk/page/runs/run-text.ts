import type { RunSummary } from '../client/types.ts';

export type RunState = RunSummary['state'];

/** The states of runs in the order in which people look for them, with their meaning. */
export const RUN_STATES: Readonly<Record<RunState, string>> = {
  ready: 'Waiting for a worker.',
  running: 'A worker is executing it.',
  parked: 'Waiting for decisions.',
  stuck: 'Stuck: it failed too many times.',
  finished: 'Finished.',
  failed: 'Failed.',
  cancelled: 'Cancelled.',
};

// The keys of the table are the states.
export const RUN_STATE_NAMES: readonly RunState[] = Object.keys(RUN_STATES) as RunState[];
