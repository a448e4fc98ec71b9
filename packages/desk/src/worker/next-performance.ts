import type { DueTask } from '../engine/engine.ts';
import type { Store, TaskKey } from '../store/store.ts';

/**
 * The next performance of a task by an engine; `undefined` if the task is not due until it is
 * scheduled again.
 */
export type NextPerformance = PerformAgain | undefined;

/** A task that an engine must perform again. */
export interface PerformAgain {
  /** The time until then, in milliseconds. */
  readonly again: number;
  readonly task: DueTask;
}

/**
 * Returns the time until a task that this process does not perform is due. It is at least `minMs`.
 */
export function whenToPerform(
  store: Store,
  [tenant, kind, id]: TaskKey,
  minMs = 0,
): Promise<NextPerformance> {
  return store.read(async (tx) => {
    const row = await tx.tasks.get(tenant, kind, id);
    if (row?.due === undefined) return undefined;
    const wait = row.due - (await tx.now());
    const isRunning = kind === 'run' && (await tx.runs.get(tenant, id))?.state === 'running';
    // Another performer has claimed the task. If that performer dies, a sweep schedules the task
    // after its lease.
    if (isRunning && wait > 0) return undefined;
    const again = wait > 0 ? wait : minMs;
    return { again, task: { tenant, kind, id, due: row.due, fence: row.fence } };
  });
}
