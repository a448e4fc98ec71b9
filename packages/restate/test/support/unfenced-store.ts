import type { ReadTx, Store, TaskKey, TaskRow, Tx } from '@holdpoint/desk';

/** A store in which every claim of this process seems to be the last one. It exists to show that tests notice it. */
export function unfencedStore(store: Store): Store {
  const fences = new Map<string, number>();
  return {
    // Without `about`, so that the fence is not part of an optimistic transaction.
    write: (work) => store.write((tx) => work(withoutFence(tx, fences))),
    read: (work) => store.read((tx) => work(withoutReadFence(tx, fences))),
    onDue: (listener) => store.onDue(listener),
    markRestoredFromBackup: (time) => store.markRestoredFromBackup(time),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

function withoutFence(tx: Tx, fences: Map<string, number>): Tx {
  const stored = new Map<string, number>();
  const tasks: Partial<Tx['tasks']> = {
    async claim(...args) {
      const claim = await tx.tasks.claim(...args);
      if (claim) fences.set(JSON.stringify([claim.tenant, claim.kind, claim.id]), claim.fence);
      return claim;
    },
    async lock(...key: TaskKey): Promise<TaskRow | undefined> {
      const row = await tx.tasks.lock(...key);
      if (row === undefined) return undefined;
      stored.set(JSON.stringify(key), row.fence);
      const fence = fences.get(JSON.stringify(key)) ?? row.fence;
      return { ...row, fence, due: row.due ?? Date.now() };
    },
    put: (row) => {
      const fence = stored.get(JSON.stringify([row.tenant, row.kind, row.id])) ?? row.fence;
      return tx.tasks.put({ ...row, fence });
    },
  };
  return replacing(tx, { tasks: replacing(tx.tasks, tasks) });
}

function withoutReadFence(tx: ReadTx, fences: ReadonlyMap<string, number>): ReadTx {
  const get = async (...key: TaskKey): Promise<TaskRow | undefined> => {
    const row = await tx.tasks.get(...key);
    return row && { ...row, fence: fences.get(JSON.stringify(key)) ?? row.fence };
  };
  return replacing(tx, { tasks: replacing(tx.tasks, { get }) });
}

function replacing<T extends object>(object: T, members: object): T {
  return new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(members, name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
