import type { Store } from '@holdpoint/desk';

/** The process is gone. */
export class Crash extends Error {
  override name = 'Crash';
}

/** The store of a process that dies at one of its writes. */
export interface CrashingStore {
  readonly store: Store;
  /** The number of writes that have begun. */
  readonly writes: () => number;
  readonly hasCrashed: () => boolean;
  /** Waits for the writes in progress when the process died. They may still be committed. */
  readonly atRest: () => Promise<void>;
}

/**
 * Ends a process at its `nth` write, counted from 1: before the commit, or after it and before the
 * confirmation. Later operations do not reach the store.
 */
export function crashingStore(store: Store, nth: number, side: 'before' | 'after'): CrashingStore {
  let writes = 0;
  let crashed = false;
  const unfinished = new Set<Promise<unknown>>();
  const write: Store['write'] = async (work, options) => {
    const writing = store.write(work, options);
    unfinished.add(writing);
    return writing.finally(() => unfinished.delete(writing));
  };
  const alive = () => {
    if (crashed) throw new Crash();
  };
  return {
    writes: () => writes,
    hasCrashed: () => crashed,
    async atRest() {
      await Promise.allSettled(unfinished);
    },
    store: {
      async write(work, options) {
        alive();
        writes += 1;
        if (writes !== nth) return write(work, options);
        if (side === 'before') crashed = true;
        alive();
        await write(work, options);
        crashed = true;
        throw new Crash();
      },
      async read(work, options) {
        alive();
        return store.read(work, options);
      },
      onDue: () => () => {},
      markRestoredFromBackup: (time) => store.markRestoredFromBackup(time),
      async close() {},
      async [Symbol.asyncDispose]() {},
    },
  };
}
