import { AlreadyResumedError, LedgerError, InvalidResultsError, UserError } from 'holdpoint';
import { LedgerFaultError } from 'holdpoint/testing';
import { PlannedError } from '../stage.ts';
import type { PlayedRun, World } from '../world.ts';

/** A run does not fail, or fails with an expected error. */
export function strangeEnd(run: PlayedRun): string[] {
  const { id, status, error, given, source, controller } = run;
  if (given?.isSpoiled && (status === 'finished' || status === 'parked')) {
    return ['spoiled decisions were accepted'];
  }
  if (status !== 'failed' || controller.signal.aborted || isExpected(error)) return [];
  if (given?.isSpoiled && error instanceof UserError) return [];
  // Decisions of another run may cover other calls, and a failed run may not have requested all of them.
  const mayBeRejected = given?.by !== id || source?.isParked === false;
  if (mayBeRejected && error instanceof InvalidResultsError) return [];
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return [`a run failed in a strange way: ${text}`];
}

/** True if a failure is planned. A failed settle must not lose the tool's result. */
function isExpected(error: unknown): boolean {
  if (error instanceof AlreadyResumedError) return true;
  if (error instanceof PlannedError) return !error.message.includes('ledger settle');
  if (error instanceof LedgerFaultError) return error.operation.name !== 'settle';
  if (!(error instanceof LedgerError)) return false;
  return error.code === 'outcome-not-settled'
    ? error.outcome !== undefined
    : error.code === 'call-busy';
}

/** At most one run with `onAlreadyResumed: 'error'` resumes a history. */
export function resumedTwice({ runs, stored }: World): string[] {
  return stored.flatMap((source) => {
    const went = runs.filter(
      (run) =>
        run.source === source &&
        run.plan?.onAlreadyResumed === 'error' &&
        (run.status === 'finished' || run.status === 'parked'),
    );
    return went.length > 1 ? ['resumed twice'] : [];
  });
}
