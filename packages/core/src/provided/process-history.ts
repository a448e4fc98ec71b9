import type { Capability } from '../capabilities/capability.ts';
import type { HistoryProcessor } from '../capabilities/history-processor.ts';

/** A capability that changes the history before each request: shortens it, takes secrets out. */
export function processHistory<Deps = unknown>(
  processor: HistoryProcessor<Deps>,
): Capability<Deps> {
  return Object.freeze({ name: 'processHistory', historyProcessors: Object.freeze([processor]) });
}
