import type { Store } from '@holdpoint/desk';

/** A store that counts its transactions, and the queries in those that read. */
export function countingStore(store: Store): {
  readonly store: Store;
  readonly writes: () => number;
  /** The names of the queries so far, such as `holds.list`. */
  readonly queries: () => readonly string[];
} {
  let writes = 0;
  const queries: string[] = [];
  const counting: Store = Object.assign(Object.create(store), {
    write: (work: never, options: never) => {
      writes += 1;
      return store.write(work, options);
    },
    read: (work: (tx: object) => Promise<unknown>, options: never) =>
      store.read((tx) => work(counted(tx, '', queries)), options),
    onDue: (listener: () => void) => store.onDue(listener),
  });
  return { store: counting, writes: () => writes, queries: () => [...queries] };
}

/** Records the calls of all methods of an object, and of the objects in it. */
function counted<One extends object>(one: One, name: string, queries: string[]): One {
  return new Proxy(one, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      const path = `${name}${String(key)}`;
      if (typeof value === 'function') {
        return (...args: unknown[]) => {
          queries.push(path);
          return Reflect.apply(value, target, args);
        };
      }
      if (typeof value !== 'object' || value === null) return value;
      return counted(value, `${path}.`, queries);
    },
  });
}
