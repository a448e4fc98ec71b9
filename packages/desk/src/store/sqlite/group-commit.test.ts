import { describe, expect, it } from 'vitest';
import { sampleRun, sampleTask } from '../../testing/sample-rows.ts';
import { TENANT } from '../../testing/store-bench.ts';
import { sqliteStore } from './sqlite-store.ts';

describe('writes to SQLite that wait at the same time', () => {
  it('undo only the changes of a write that fails', async () => {
    await using store = await sqliteStore();

    const outcomes = await Promise.allSettled(
      [1, 2, 3, 4].map((number) =>
        store.write(async (tx) => {
          await tx.runs.insert({
            ...sampleRun(),
            id: `run-${number}`,
            conversationId: `c-${number}`,
          });
          if (number === 3) throw new Error('Number 3 fails.');
          return number;
        }),
      ),
    );

    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    const ids = ['run-1', 'run-2', 'run-3', 'run-4'];
    const stored = await store.read((tx) => tx.runs.withIds(TENANT, ids));
    expect(stored.map(({ id }) => id).toSorted()).toEqual(['run-1', 'run-2', 'run-4']);
  });

  it('see the changes of the writes before them', async () => {
    await using store = await sqliteStore();

    const inserted = await Promise.all(
      [1, 2, 3].map(() => store.write((tx) => tx.runs.insert(sampleRun()))),
    );

    expect(inserted).toEqual([true, false, false]);
  });

  it('notify listeners of all changes before any of them is acknowledged', async () => {
    await using store = await sqliteStore();
    const order: string[] = [];
    const stop = store.onDue(() => order.push('notified'));

    // The claim returns no task, and the task after it is in the same commit.
    await Promise.all([
      store.write((tx) => tx.tasks.claim(['run'], 1_000)).then(() => order.push('claimed')),
      store.write((tx) => tx.tasks.insert(sampleTask())).then(() => order.push('inserted')),
    ]);

    expect(order).toEqual(['notified', 'claimed', 'inserted']);
    stop();
  });

  it('end before the store closes', async () => {
    const store = await sqliteStore();
    const writes = Array.from({ length: 200 }, (_, number) =>
      store.write((tx) => tx.tasks.insert(sampleTask({ id: `run-${number}` }))),
    );

    await store.close();

    expect(new Set(await Promise.all(writes))).toEqual(new Set([true]));
  });
});
