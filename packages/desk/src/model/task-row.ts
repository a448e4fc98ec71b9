/** The kinds of tasks. */
export const TASK_KINDS = ['run', 'expiry', 'outbox', 'webhook'] as const;

/** The kind of a task: execute a run, expire a hold, deliver an event, or send a webhook. */
export type TaskKind = (typeof TASK_KINDS)[number];

/** A task that a worker executes, or is about to. */
export interface TaskRow {
  readonly tenant: string;
  readonly kind: TaskKind;
  /** The id of the run, the hold or the outbox row; for a webhook, of the outbox row and the receiver. */
  readonly id: string;
  /** The agent of a run, or the receiver of a webhook: only workers that have it claim the task. */
  readonly queue?: string | undefined;
  /** The time from which a worker may claim it: when it is due, or when a lease ends. Never, if `undefined`. */
  readonly due?: number | undefined;
  /** The number of claims. Only the worker with the last claim can write. */
  readonly fence: number;
  /** The number of claims since the last progress. */
  readonly attempts: number;
  /** The worker that claimed it last, and when. */
  readonly claimedBy?: string | undefined;
  readonly claimedAt?: number | undefined;
  /** The problem of the last attempt. */
  readonly problem?: string | undefined;
  /** The time at which it was given up. No worker claims it until an operator replays it. */
  readonly givenUpAt?: number | undefined;
}

/** A task that was given up after too many attempts. */
export interface DeadLetter {
  readonly kind: TaskKind;
  /** The id of the task: of the run, the hold, the event, or the event and the receiver. */
  readonly id: string;
  /** The agent of a run, or the receiver of a webhook. */
  readonly queue?: string | undefined;
  readonly attempts: number;
  readonly problem?: string | undefined;
  readonly givenUpAt: number;
}

/** Selects the task that a worker claims. */
export interface ClaimOptions {
  /** The name of the worker, which is stored with the task. */
  readonly worker?: string | undefined;
  /**
   * Claims for the next tenant that has a due task, in the order of their ids: the next one after the tenant that is
   * named for the kind of task, or the first one. If missing, claims the task that has been due for longest.
   */
  readonly afterTenants?: Readonly<Partial<Record<TaskKind, string>>> | undefined;
  /** The tenants whose runs are not claimed. */
  readonly withoutRunsOf?: readonly string[] | undefined;
  /**
   * True to claim also a running run that `worker` claimed last, although its lease has not ended: the process that
   * had it died. Pass it only with the key of a task.
   */
  readonly takesOver?: boolean | undefined;
}

/** The queues from which tasks of a kind are claimed; all queues of kinds that are not named. */
export type TaskQueues = Readonly<Partial<Record<TaskKind, readonly string[]>>>;

/** The right to execute a task, until another worker claims it. */
export interface TaskClaim {
  readonly tenant: string;
  readonly kind: TaskKind;
  readonly id: string;
  /** The agent of a run, or the receiver of a webhook. */
  readonly queue?: string | undefined;
  readonly fence: number;
  readonly attempts: number;
}
