import type { Store } from '@holdpoint/desk';

/** A store that counts its transactions. */
export function countingStore(store: Store): {
  readonly store: Store;
  readonly writes: () => number;
  readonly reads: () => number;
} {
  let writes = 0;
  let reads = 0;
  const counting: Store = Object.assign(Object.create(store), {
    write: (work: never) => {
      writes += 1;
      return store.write(work);
    },
    read: (work: never) => {
      reads += 1;
      return store.read(work);
    },
    onDue: (listener: () => void) => store.onDue(listener),
  });
  return { store: counting, writes: () => writes, reads: () => reads };
}
