import type { Store } from '@holdpoint/desk';

/** A store that was out of reach for a while. */
export interface FailingStore {
  readonly store: Store;
  readonly hasFailed: () => boolean;
}

/**
 * Fails some consecutive writes, starting with the `nth`, counted from 1: before the commit, or after it, so
 * that only the confirmation is lost. The process continues.
 */
export function failingStore(
  store: Store,
  { nth, count, side }: { nth: number; count: number; side: 'before' | 'after' },
): FailingStore {
  let writes = 0;
  let hasFailed = false;
  return {
    hasFailed: () => hasFailed,
    store: {
      async write(work, options) {
        writes += 1;
        const isFailing = writes >= nth && writes < nth + count;
        if (!isFailing) return store.write(work, options);
        hasFailed = true;
        if (side === 'after') await store.write(work, options);
        throw new Error('The connection was lost.');
      },
      read: (work, options) => store.read(work, options),
      onDue: (listener) => store.onDue(listener),
      markRestoredFromBackup: (time) => store.markRestoredFromBackup(time),
      close: () => store.close(),
      [Symbol.asyncDispose]: () => store.close(),
    },
  };
}
