import { AlreadyResumedError, LedgerError, InvalidResultsError, UserError } from 'holdpoint';
import { LedgerFaultError } from 'holdpoint/testing';
import { PlannedError } from '../stage.ts';
import type { PlayedRun, World } from '../world.ts';

/** A run ends well, or with an error that is to be expected. */
export function strangeEnd(run: PlayedRun): string[] {
  const { id, status, error, given, source, controller } = run;
  if (given?.isSpoiled && (status === 'finished' || status === 'parked')) {
    return ['spoiled answers were taken'];
  }
  if (status !== 'failed' || controller.signal.aborted || isExpected(error)) return [];
  if (given?.isSpoiled && error instanceof UserError) return [];
  // Somebody else's answers may be to something else, and what failed may not have been asked about.
  const mayBeRefused = given?.by !== id || source?.isParked === false;
  if (mayBeRefused && error instanceof InvalidResultsError) return [];
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return [`a run failed in a strange way: ${text}`];
}

/** Where a settle fails, what the tool said must not be lost with it. */
function isExpected(error: unknown): boolean {
  if (error instanceof AlreadyResumedError) return true;
  if (error instanceof PlannedError) return !error.message.includes('ledger settle');
  if (error instanceof LedgerFaultError) return error.operation.name !== 'settle';
  if (!(error instanceof LedgerError)) return false;
  return error.code === 'outcome-not-settled'
    ? error.outcome !== undefined
    : error.code === 'call-busy';
}

/** Of those who do not want to be the second, one at most resumes a run. */
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
