import type { ReportError } from '../errors/report-error.ts';
import type { TaskRow } from '../model/task-row.ts';
import type { Store, TaskKey, Tx } from '../store/store.ts';
import type { DueTask, Engine } from './engine.ts';

/** Dependencies of {@link Engines}. */
export interface EnginesDeps {
  readonly onError: ReportError;
  /** Returns true if this process performs a task. The performer schedules it again itself. */
  readonly isPerforming: (...key: TaskKey) => boolean;
  /** True if this desk delivers events, so that an event is a task. */
  readonly deliversEvents: boolean;
}

/** The engines of a desk, which are notified of due tasks. */
export class Engines {
  readonly #engines = new Set<Engine>();
  readonly #deps: EnginesDeps;

  constructor(deps: EnginesDeps) {
    this.#deps = deps;
  }

  get isEmpty(): boolean {
    return this.#engines.size === 0;
  }

  /** Adds an engine; returns the function that removes it. */
  add(engine: Engine): () => void {
    this.#engines.add(engine);
    return () => {
      this.#engines.delete(engine);
    };
  }

  /** Notifies all engines. */
  schedule(tasks: readonly DueTask[]): void {
    if (tasks.length === 0) return;
    for (const engine of this.#engines) {
      try {
        engine.schedule(tasks);
      } catch (error) {
        // The transaction is committed, and a sweep schedules the tasks again.
        this.#deps.onError(error);
      }
    }
  }

  /** Returns a store that notifies the engines after each transaction. */
  notifiedBy(store: Store): Store {
    const write: Store['write'] = async (work, options) => {
      if (this.isEmpty) return store.write(work, options);
      let due = new DueTasks(this.#deps);
      const result = await store.write((tx) => {
        // A store may repeat the callback after a conflict.
        due = new DueTasks(this.#deps);
        return work(due.recordedBy(tx));
      }, options);
      this.schedule(due.tasks);
      return result;
    };
    return {
      write,
      read: (work, options) => store.read(work, options),
      onDue: (listener) => store.onDue(listener),
      markRestoredFromBackup: (time) => store.markRestoredFromBackup(time),
      close: () => store.close(),
      [Symbol.asyncDispose]: () => store.close(),
    };
  }
}

/** The tasks that a transaction makes due. */
class DueTasks {
  readonly #tasks = new Map<string, DueTask>();
  readonly #deps: EnginesDeps;

  constructor(deps: EnginesDeps) {
    this.#deps = deps;
  }

  get tasks(): readonly DueTask[] {
    const { isPerforming } = this.#deps;
    return [...this.#tasks.values()].filter(
      ({ tenant, kind, id }) => !isPerforming(tenant, kind, id),
    );
  }

  /** Returns a transaction whose changes of tasks are recorded. */
  recordedBy(tx: Tx): Tx {
    // A proxy, because the transactions of stores have private members and compute their tables on access.
    return new Proxy(tx, {
      get: (target, name) => {
        if (name === 'tasks') return this.#recordedTasks(target.tasks);
        if (name === 'outbox') return this.#recordedOutbox(target.outbox);
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  #recordedTasks(tasks: Tx['tasks']): Tx['tasks'] {
    return replacing(tasks, {
      insert: async (row) => {
        const isInserted = await tasks.insert(row);
        if (isInserted) this.#add(row);
        return isInserted;
      },
      put: async (row) => {
        await tasks.put(row);
        this.#add(row);
      },
    });
  }

  #recordedOutbox(outbox: Tx['outbox']): Tx['outbox'] {
    if (!this.#deps.deliversEvents) return outbox;
    return replacing(outbox, {
      insert: async (row) => {
        const isInserted = await outbox.insert(row);
        const { tenant, id, at } = row;
        if (isInserted) this.#add({ tenant, kind: 'outbox', id, due: at, fence: 0 });
        return isInserted;
      },
    });
  }

  #add({ tenant, kind, id, due, fence }: Pick<TaskRow, keyof DueTask>): void {
    const key = JSON.stringify([tenant, kind, id]);
    if (due === undefined) this.#tasks.delete(key);
    else this.#tasks.set(key, { tenant, kind, id, due, fence });
  }
}

/** Returns an object with some of its methods replaced. */
function replacing<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get(target, name) {
      const replaced: unknown = Reflect.get(methods, name);
      if (replaced !== undefined) return replaced;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
