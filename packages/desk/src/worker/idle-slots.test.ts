import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { TaskKind } from '../model/task-row.ts';
import { sqliteStore } from '../store/sqlite/sqlite-store.ts';
import { IdleSlots } from './idle-slots.ts';

const ALL: readonly TaskKind[] = ['expiry', 'outbox', 'webhook', 'run'];

async function openSlots(waiting: readonly (readonly TaskKind[])[], pollMs = 600_000) {
  const stop = new AbortController();
  const store = await sqliteStore();
  const slots = new IdleSlots(store, stop.signal, pollMs);
  const woken: number[] = [];
  for (const [index, kinds] of waiting.entries()) {
    void slots.wait(kinds, slots.notifications).then(() => woken.push(index));
  }
  return { stop, store, slots, woken };
}

describe('idle slots', () => {
  it('wake one that claims all kinds, although a slot for one kind has been idle for longer', async () => {
    const { slots, woken } = await openSlots([['expiry'], ALL, ALL]);

    slots.wake();
    await turn();
    await turn();

    expect(woken).toEqual([1]);
  });

  it('wake one for each kind, if none that claims all kinds waits', async () => {
    const { slots, woken } = await openSlots([['expiry'], ['outbox'], ['outbox'], ['webhook']]);

    slots.wake();
    await turn();
    await turn();

    expect(woken).toEqual([0, 1, 3]);
  });

  it('wake up when the store reports a due task', async () => {
    const { store, woken } = await openSlots([ALL]);

    await store.write(async (tx) => {
      const due = await tx.now();
      await tx.tasks.insert({ tenant: 't', kind: 'run', id: 'r', due, fence: 0, attempts: 0 });
    });
    await turn();
    await turn();

    expect(woken).toEqual([0]);
  });

  it('do not wait if a task was reported after their last claim', async () => {
    const { store, slots } = await openSlots([]);
    const since = slots.notifications;
    await store.write(async (tx) => {
      const due = await tx.now();
      await tx.tasks.insert({ tenant: 't', kind: 'run', id: 'r', due, fence: 0, attempts: 0 });
    });

    await slots.wait(ALL, since);
  });

  it('all wake up when the worker stops', async () => {
    const { stop, woken } = await openSlots([ALL, ALL, ['run']]);

    stop.abort();
    await turn();
    await turn();

    expect(woken).toEqual([0, 1, 2]);
  });
});
