import type { TaskKind } from '../model/task-row.ts';

/** The key of a task that was revoked. */
/** A task whose claim was revoked. */
export type RevokedTask = readonly [tenant: string, kind: TaskKind, id: string];

/** What a transaction that was committed has changed, for processes that wait for it. */
export interface StoreChange {
  /** Whether a task may have become due. */
  readonly hasDueTask: boolean;
  /** The tenants that may have new events. */
  readonly tenants: readonly string[] | 'all';
  /** Tasks that were revoked: whoever has claimed one has lost it. */
  readonly revoked: readonly RevokedTask[];
}

/** The change of which nothing is known but that there may be one. */
export const ANY_CHANGE: StoreChange = Object.freeze({
  hasDueTask: true,
  tenants: 'all',
  revoked: [],
});

/** Tasks that are due within so many milliseconds are worth a look now. */
const SOON_MS = 20;

/** Collects what a transaction changes. */
export class ChangeRecorder {
  #hasDueTask = false;
  readonly #tenants = new Set<string>();
  readonly #revoked: RevokedTask[] = [];

  /** Records when a task is due; `now` is `undefined` if the transaction has not asked for the time. */
  addTask(due: number | undefined, now: number | undefined): void {
    this.#hasDueTask ||= due !== undefined && (now === undefined || due <= now + SOON_MS);
  }

  addEvent(tenant: string): void {
    this.#tenants.add(tenant);
  }

  addRevoked(task: RevokedTask): void {
    this.#revoked.push(task);
  }

  /** The change; `undefined` if there is nothing that anybody waits for. */
  get change(): StoreChange | undefined {
    const isNothing = !this.#hasDueTask && this.#tenants.size === 0 && this.#revoked.length === 0;
    if (isNothing) return undefined;
    return { hasDueTask: this.#hasDueTask, tenants: [...this.#tenants], revoked: this.#revoked };
  }
}

/** Two changes as one. */
export function mergeChanges(one: StoreChange | undefined, other: StoreChange): StoreChange {
  if (one === undefined) return other;
  const tenants =
    one.tenants === 'all' || other.tenants === 'all'
      ? 'all'
      : [...new Set([...one.tenants, ...other.tenants])];
  return {
    hasDueTask: one.hasDueTask || other.hasDueTask,
    tenants,
    revoked: [...one.revoked, ...other.revoked],
  };
}
