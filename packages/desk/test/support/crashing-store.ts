import type { Store } from '@holdpoint/desk';

/** The process is gone. */
export class Crash extends Error {
  override name = 'Crash';
}

/** A store as a process sees it that dies at one of its writes. */
export interface CrashingStore {
  readonly store: Store;
  /** How many writes were begun. */
  readonly writes: () => number;
  readonly hasCrashed: () => boolean;
}

/**
 * Lets a process die at its `nth` write, from 1 on: before it is committed, or after it, when nobody has
 * heard of it. Nothing reaches the store from then on.
 */
export function crashingStore(store: Store, nth: number, side: 'before' | 'after'): CrashingStore {
  let writes = 0;
  let crashed = false;
  const alive = () => {
    if (crashed) throw new Crash();
  };
  return {
    writes: () => writes,
    hasCrashed: () => crashed,
    store: {
      async write(work) {
        alive();
        writes += 1;
        if (writes !== nth) return store.write(work);
        if (side === 'before') crashed = true;
        alive();
        await store.write(work);
        crashed = true;
        throw new Crash();
      },
      async read(work) {
        alive();
        return store.read(work);
      },
      onDue: () => () => {},
      forgetBefore: (time) => store.forgetBefore(time),
      async close() {},
      async [Symbol.asyncDispose]() {},
    },
  };
}
