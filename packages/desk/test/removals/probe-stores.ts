import { postgresStore, type Store } from '@holdpoint/desk';
import { Pool } from 'pg';
import { sampleRun, sampleTask } from '../../src/testing/sample-rows.ts';
import { TENANT } from '../../src/testing/store-bench.ts';

/** A function that returns a description of a problem, or `undefined` without one. */
export type Probe = (url: string) => Promise<string | undefined>;

/** Opens stores as separate processes would, on one database with a run. */
export async function openStores(url: string, count: number): Promise<readonly Store[]> {
  const stores: Store[] = [];
  for (let index = 0; index < count; index++) {
    const pool = new Pool({ connectionString: url, max: 12 });
    stores.push(await postgresStore({ pool, busyTimeout: 2_000, onError: () => {} }));
  }
  await stores[0]?.write(async (tx) => {
    await tx.runs.insert(sampleRun());
    await tx.tasks.insert(sampleTask());
  });
  return stores;
}

/** The option of a transaction about the run of {@link openStores}. */
export const ABOUT = { about: { tenant: TENANT, runId: 'run-1' } } as const;

/** Returns the number of audit entries of the run. */
export async function countOf(store: Store): Promise<number | undefined> {
  return (await store.read((tx) => tx.runs.get(TENANT, 'run-1')))?.auditCount;
}
