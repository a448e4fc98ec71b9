/** The kind of a task: execute a run, expire a hold, deliver an event, or send a webhook. */
export type TaskKind = 'run' | 'expiry' | 'outbox' | 'webhook';

/** A task that a worker executes, or is about to. */
export interface TaskRow {
  readonly tenant: string;
  readonly kind: TaskKind;
  /** Of the run, the hold, the outbox row, or the outbox row and the receiver. */
  readonly id: string;
  /** The agent of a run, or the receiver of a webhook: only workers that have it claim the task. */
  readonly queue?: string | undefined;
  /** The time from which a worker may claim it: when it is due, or when a lease ends. Never, if `undefined`. */
  readonly due?: number | undefined;
  /** How often it was taken. Who has taken it last is the only one whose writes count. */
  readonly fence: number;
  /** The number of claims since the last progress. */
  readonly attempts: number;
}

/** The queues from which tasks of a kind are claimed; all queues of kinds that are not named. */
export type TaskQueues = Readonly<Partial<Record<TaskKind, readonly string[]>>>;

/** The right to execute a task, until another worker claims it. */
export interface TaskClaim {
  readonly tenant: string;
  readonly kind: TaskKind;
  readonly id: string;
  readonly fence: number;
  readonly attempts: number;
}
