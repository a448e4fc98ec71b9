import { setTimeout as sleep } from 'node:timers/promises';
import type { ReportError } from '../errors/report-error.ts';
import type { Store } from '../store/store.ts';
import { applyRetention } from './apply-retention.ts';
import type { RetentionOptions } from './retention-options.ts';

/** The time between two passes, in milliseconds. */
const INTERVAL_MS = 60 * 60_000;
/** The interval of the checks for a due pass, in milliseconds. */
const POLL_MS = 60_000;
/** The time after which another process takes over a pass that makes no progress, in milliseconds. */
const LEASE_MS = 5 * 60_000;

/** The retention job of a worker. */
export interface RetentionJobOptions {
  readonly store: Store;
  readonly policy: RetentionOptions;
  readonly signal: AbortSignal;
  readonly onError: ReportError;
}

/** Applies the policy every hour until the signal aborts. One process at a time does. */
export async function runRetentionJob(options: RetentionJobOptions): Promise<void> {
  const { policy, signal, onError } = options;
  if (Object.values(policy).every((age) => age === undefined)) return;
  while (!signal.aborted) {
    try {
      await runIfDue(options);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

async function runIfDue({ store, policy, signal }: RetentionJobOptions): Promise<void> {
  const isDue = await store.read(async (tx) => (await tx.retention.jobDueAt()) <= (await tx.now()));
  if (!isDue || !(await store.write((tx) => tx.retention.claimJob(LEASE_MS)))) return;
  const postpone = (delay: number) => store.write((tx) => tx.retention.postponeJob(delay));
  await applyRetention(store, policy, { signal, onBatch: () => postpone(LEASE_MS) });
  await postpone(INTERVAL_MS);
}
