import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ClaimLostError } from '../errors/claim-lost-error.ts';
import { sqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { claimTask } from '../transitions/tasks.ts';
import { withClaim } from './with-claim.ts';

const LEASE = 60;

async function storeWithTask(): Promise<Store> {
  const store = await sqliteStore();
  await store.write(async (tx) => {
    const due = await tx.now();
    await tx.tasks.insert({ tenant: 't', kind: 'run', id: 'r', due, fence: 0, attempts: 0 });
  });
  return store;
}

describe('work with a claim', () => {
  it('extends the claim until it ends', async () => {
    const store = await storeWithTask();
    const claim = await claimTask(store, ['run'], LEASE);

    const said = await withClaim({ store, claim: claim!, lease: LEASE }, async (signal) => {
      await sleep(LEASE * 4);
      expect(await claimTask(store, ['run'], LEASE)).toBeUndefined();
      return signal.aborted;
    });

    expect(said).toBe(false);
  });

  it('aborts when another worker has the task', async () => {
    const store = await storeWithTask();
    const claim = await claimTask(store, ['run'], 1);
    await sleep(5);
    await claimTask(store, ['run'], LEASE * 100);

    const reason = await withClaim({ store, claim: claim!, lease: LEASE }, async (signal) => {
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      return signal.reason;
    });

    expect(reason).toBeInstanceOf(ClaimLostError);
  });

  it('releases the claim when it ends', async () => {
    const store = await storeWithTask();
    const claim = await claimTask(store, ['run'], LEASE);
    await expect(
      withClaim({ store, claim: claim!, lease: LEASE }, () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');

    await sleep(LEASE * 2);

    expect(await claimTask(store, ['run'], LEASE)).toMatchObject({ fence: 2 });
  });
});
