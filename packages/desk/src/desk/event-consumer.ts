import type { Store, Tx } from '../store/store.ts';

/** The interval at which a process records that it delivers events, in milliseconds. */
const RECORD_EVERY_MS = 60 * 60_000;

/**
 * The store of a desk that delivers events. It records every hour that such a desk exists. Events are
 * kept for delivery only from then on, regardless of the process that writes them.
 */
export function withEventConsumer(store: Store): Store {
  let recordedAt = Number.NEGATIVE_INFINITY;
  return {
    async write(work, options) {
      const begun = performance.now();
      if (begun - recordedAt < RECORD_EVERY_MS) return store.write(work, options);
      const result = await store.write(async (tx: Tx) => {
        await tx.recordEventConsumer();
        return work(tx);
      }, options);
      recordedAt = begun;
      return result;
    },
    read: (work, options) => store.read(work, options),
    onDue: (listener) => store.onDue(listener),
    markRestoredFromBackup: (time) => store.markRestoredFromBackup(time),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}
