import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sampleRun, sampleTask } from '../../testing/sample-rows.ts';
import { TENANT } from '../../testing/store-bench.ts';
import type { Store } from '../store.ts';
import { sqliteStore } from './sqlite-store.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const ABOUT = { about: { tenant: TENANT, runId: 'run-1' } };

function increment(store: Store): Promise<void> {
  return store.write(async (tx) => {
    const run = (await tx.runs.lock(TENANT, 'run-1'))!;
    await tx.runs.put({ ...run, auditCount: run.auditCount + 1 });
  }, ABOUT);
}

describe('run that an SQLite store knows', () => {
  it('is as it was after a commit that failed', async () => {
    await using store = await sqliteStore();
    await store.write(async (tx) => {
      await tx.runs.insert(sampleRun({ auditCount: 0 }));
      await tx.tasks.insert(sampleTask());
    });
    await store.write((tx) => tx.tasks.claim(['run'], 60_000), { about: 'tasks' });
    await increment(store);
    const { exec } = DatabaseSync.prototype;
    const failing = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
      this: DatabaseSync,
      text,
    ) {
      if (text === 'commit') throw new Error('The disk is full.');
      exec.call(this, text);
    });
    await expect(increment(store)).rejects.toThrow('The disk is full.');
    failing.mockRestore();

    await increment(store);

    expect((await store.read((tx) => tx.runs.get(TENANT, 'run-1')))?.auditCount).toBe(2);
  });
});
