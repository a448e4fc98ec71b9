import type { TaskKind } from '../model/task-row.ts';

/** The key of a task whose claim was revoked. */
export type RevokedTask = readonly [tenant: string, kind: TaskKind, id: string];

/** The effects of a committed transaction that workers and event streams wait for. */
export interface StoreChange {
  /** True if a task may be due now. */
  readonly hasDueTask: boolean;
  /** The tenants that may have new events. */
  readonly tenants: readonly string[] | 'all';
  /** The revoked tasks; a worker that has claimed one has lost it. */
  readonly revoked: readonly RevokedTask[];
}

/** Receives the changes that were committed. */
export type ChangeListener = (change: StoreChange) => void;

/** A placeholder for changes that the store did not see. */
export const ANY_CHANGE: StoreChange = Object.freeze({
  hasDueTask: true,
  tenants: 'all',
  revoked: [],
});

/** A task counts as due now if it is due within this time, in milliseconds. */
const SOON_MS = 20;

/** Collects the changes of a transaction. */
export class ChangeRecorder {
  #hasDueTask = false;
  readonly #tenants = new Set<string>();
  readonly #revoked: RevokedTask[] = [];

  /** Records when a task is due; `now` is `undefined` if the transaction has not read the clock. */
  addTask(due: number | undefined, now: number | undefined): void {
    this.#hasDueTask ||= due !== undefined && (now === undefined || due <= now + SOON_MS);
  }

  addEvent(tenant: string): void {
    this.#tenants.add(tenant);
  }

  addRevoked(task: RevokedTask): void {
    this.#revoked.push(task);
  }

  /** The change; `undefined` if no listener needs to know of it. */
  get change(): StoreChange | undefined {
    if (!this.#hasDueTask && this.#tenants.size === 0 && this.#revoked.length === 0)
      return undefined;
    return { hasDueTask: this.#hasDueTask, tenants: [...this.#tenants], revoked: this.#revoked };
  }
}

/** Merges two changes. */
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

/** The listeners of a store. */
export class ChangeListeners {
  readonly #listeners = new Set<ChangeListener>();

  /** Adds a listener; returns the function that removes it. */
  add(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  notify(change: StoreChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
