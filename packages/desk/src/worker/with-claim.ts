import { ClaimLostError } from '../errors/claim-lost-error.ts';
import { printError, type ReportError } from '../errors/report-error.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Store } from '../store/store.ts';
import { extendTask } from '../transitions/tasks.ts';

/** A sign of life at least once a minute, however long the lease is. */
const LONGEST_BEAT_MS = 60_000;

/**
 * Does some work with a claim, giving signs of life until it is over. The signal aborts with a
 * `ClaimLostError` as soon as it is known that somebody else has the task.
 */
export async function withClaim<Result>(
  store: Store,
  claim: TaskClaim,
  lease: number,
  work: (signal: AbortSignal) => Promise<Result>,
  onError: ReportError = printError,
): Promise<Result> {
  const lost = new AbortController();
  let beat = Promise.resolve();
  const timer = setInterval(
    () => {
      beat = beat.then(async () => {
        // A sign of life that cannot be given is tried again at the next beat; the fence decides.
        const said = await extendTask(store, claim, lease).catch((error: unknown) => {
          onError(error, { tenant: claim.tenant });
          return 'unknown' as const;
        });
        if (said === 'lost') lost.abort(new ClaimLostError());
      });
    },
    Math.min(lease / 3, LONGEST_BEAT_MS),
  );
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(timer);
    await beat;
  }
}
