import type { ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';

/**
 * A priority with a third of the usual share of a processor, so that the process does not starve on
 * a busy machine.
 */
const NICENESS = 5;

/**
 * Lowers the priority of this process. It only computes, while other tests wait for clocks and
 * browsers.
 */
export function lowerPriority({ pid }: ChildProcess): void {
  if (pid !== undefined) setPriority(pid, NICENESS);
}
