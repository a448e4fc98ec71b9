import type { Store } from '@holdpoint/desk';

/** A store that was out of reach for a while. */
export interface FailingStore {
  readonly store: Store;
  readonly hasFailed: () => boolean;
}

/**
 * Fails some writes in a row, from the `nth` on, which is counted from 1: before they are committed, or after
 * it, so that only the word of it is lost. The process lives, and goes on.
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
      async write(work) {
        writes += 1;
        const isFailing = writes >= nth && writes < nth + count;
        if (!isFailing) return store.write(work);
        hasFailed = true;
        if (side === 'after') await store.write(work);
        throw new Error('The connection was lost.');
      },
      read: (work) => store.read(work),
      onDue: (listener) => store.onDue(listener),
      forgetBefore: (time) => store.forgetBefore(time),
      close: () => store.close(),
      [Symbol.asyncDispose]: () => store.close(),
    },
  };
}
