import type { TaskKind } from '../model/task-row.ts';

/** A task, and the time at which it is due. */
export interface DueTask {
  readonly tenant: string;
  readonly kind: TaskKind;
  readonly id: string;
  /** The time from which it can be performed, by the clock of the store. */
  readonly due: number;
  /** The number of claims so far. */
  readonly fence: number;
}

/**
 * Gets tasks performed, in this process or in another: it calls `desk.perform`.
 *
 * The rows of the database stay the source of truth. An engine may lose a task, because a sweep
 * schedules it again. It may perform a task twice or late, because a claim admits one performer.
 * After the process of a performer died, it calls `perform` again with the same `owner`. It must
 * not do so while this process may be alive.
 */
export interface Engine {
  /**
   * Receives tasks after the transaction that made them due, now or later. The hint may be lost or
   * repeated. The method must return immediately and must not throw.
   */
  schedule(tasks: readonly DueTask[]): void;
}
