/** What work is about: a run goes on, a hold expires, somebody is told something, by a webhook or otherwise. */
export type TaskKind = 'run' | 'expiry' | 'outbox' | 'webhook';

/** Work that is to be done, or that somebody is doing. */
export interface TaskRow {
  readonly tenant: string;
  readonly kind: TaskKind;
  /** Of the run, the hold, the outbox row, or the outbox row and the receiver. */
  readonly id: string;
  /** The agent of a run, or the receiver of a webhook: only workers that have it claim the task. */
  readonly queue?: string | undefined;
  /** From when on anybody may take it: when it is due, or when a lease ends. Never, if `undefined`. */
  readonly due?: number | undefined;
  /** How often it was taken. Who has taken it last is the only one whose writes count. */
  readonly fence: number;
  /** How often it was taken since something came of it. */
  readonly tries: number;
}

/** The queues from which tasks of a kind are claimed; all queues of kinds that are not named. */
export type TaskQueues = Readonly<Partial<Record<TaskKind, readonly string[]>>>;

/** The right to do a task, until somebody else takes it. */
export interface TaskClaim {
  readonly tenant: string;
  readonly kind: TaskKind;
  readonly id: string;
  readonly fence: number;
  readonly tries: number;
}
