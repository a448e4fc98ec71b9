import type { Desk } from '../desk/desk.ts';
import type { RunRow } from '../model/run-row.ts';

/** The limits of a wait. */
export interface WaitLimits {
  /** In milliseconds since 1970. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** Returns a run when it has parked, is stuck or has ended, or at the deadline. */
export async function settledRun(
  desk: Desk,
  runId: string,
  { deadline, signal }: WaitLimits,
): Promise<RunRow> {
  const timeoutMs = Math.max(1, deadline - Date.now());
  try {
    return await desk.waitFor(runId, { timeoutMs, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DOMException && error.name === 'TimeoutError') return desk.run(runId);
    throw error;
  }
}

/** Waits until a parked run is not parked anymore. Returns false at the deadline. */
export async function waitWhileParked(
  desk: Desk,
  parked: RunRow,
  { deadline, signal }: WaitLimits,
): Promise<boolean> {
  const timeout = AbortSignal.timeout(Math.max(1, deadline - Date.now()));
  const options = { continueWhenParked: true, signal: AbortSignal.any([signal, timeout]) };
  for await (const event of desk.stream(parked.id, options)) {
    if (event.kind !== 'state') continue;
    const { state, parks } = event.run;
    if (state !== 'parked' || parks !== parked.parks) return true;
  }
  signal.throwIfAborted();
  return !timeout.aborted;
}
