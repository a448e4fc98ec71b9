import { ClaimLostError } from '../errors/claim-lost-error.ts';
import { logToStandardError, type ReportError } from '../errors/report-error.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Store, TaskKey } from '../store/store.ts';
import { extendTask } from '../transitions/tasks.ts';

/** The maximum time between two heartbeats, also with a long lease. */
const MAX_BEAT_MS = 60_000;

const NEVER = new AbortController().signal;

/** A task that this worker has claimed. */
export interface ClaimedTask {
  readonly store: Store;
  readonly claim: TaskClaim;
  /** The duration of the claim without a heartbeat, in milliseconds. */
  readonly lease: number;
  readonly onError?: ReportError | undefined;
  /** Aborts when the worker stops waiting for its tasks. */
  readonly ending?: AbortSignal | undefined;
}

/**
 * Executes work with a claim, and sends heartbeats until the work ends. The signal aborts with a
 * `ClaimLostError` when the claim is known to be lost to another worker or revoked. After `ending`
 * aborts, no heartbeat is sent, so work that does not end loses its task to other workers.
 */
export async function withClaim<Result>(
  { store, claim, lease, onError = logToStandardError, ending = NEVER }: ClaimedTask,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController();
  const forget = store.onDue(({ revoked }) => {
    if (revoked.some((key) => isOf(claim, key))) lost.abort(new ClaimLostError('revoked'));
  });
  let beat = Promise.resolve();
  const timer = setInterval(
    () => {
      beat = beat.then(async () => {
        // A failed heartbeat is repeated at the next beat; the fence decides.
        const extension = await extendTask(store, claim, lease).catch((error: unknown) => {
          onError(error, { tenant: claim.tenant });
          return 'unknown' as const;
        });
        if (extension === 'lost') lost.abort(new ClaimLostError());
      });
    },
    Math.min(lease / 3, MAX_BEAT_MS),
  );
  const stopBeating = () => clearInterval(timer);
  ending.addEventListener('abort', stopBeating);
  try {
    return await work(lost.signal);
  } finally {
    forget();
    stopBeating();
    ending.removeEventListener('abort', stopBeating);
    await beat;
  }
}

function isOf(claim: TaskClaim, [tenant, kind, id]: TaskKey): boolean {
  return claim.tenant === tenant && claim.kind === kind && claim.id === id;
}
