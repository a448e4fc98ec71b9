import { beforeEach } from 'vitest';

/**
 * Scenarios that count how often code outside of steps was called. A replay calls handlers, instructions and previews
 * again.
 */
export const COUNT_CALLS_OUTSIDE_STEPS: readonly string[] = [
  'executes once, even if a handler approved it in each process',
  'is marked in a later run of the conversation, also for a handler',
  'outside of a call',
  'shows the doubt to the handler, and a denial settles the call',
  'is shown to a handler as well; one that differs by then parks the run',
  'leave the rest to the handler of the run, also for later requests of the sub-agent',
  'of the sub-agent are called before those of the parent run',
  // The timer of an unclaimed call is outside of its step, which has not ended when the call times
  // out.
  'for a tool that reads it after the run continued without the call',
];

/** Skips scenarios of this file by their titles. */
export function skipScenarios(titles: readonly string[]): void {
  beforeEach(({ task, skip }) => skip(titles.includes(task.name)));
}
