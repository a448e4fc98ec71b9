import { LedgerError } from 'holdpoint';
import { present } from '../../../../support/present.ts';
import { idOf, type MadeCall } from '../journal.ts';
import type { PlayedRun, World } from '../world.ts';
import { isGuarded, keyOf, mayRunAgain } from './facts.ts';
import { isFinal, resultIn } from './notifications.ts';

/**
 * A tool's result is in a history, in the ledger, or in an error. If the run ended before the tool, the
 * call may be in doubt instead.
 */
export async function lostResults(world: World, call: MadeCall): Promise<string[]> {
  // A second execution replaces the result of the first.
  if (!isGuarded(call) || mayRunAgain(world, call)) return [];
  const { journal, runs, shared } = world;
  const found: string[] = [];
  for (const { said, saidAt, run, idempotencyKey } of journal.of(call.label)) {
    const key = keyOf(present(idempotencyKey));
    const entry = await shared.read(key);
    if (entry === undefined) found.push(`ran, and the ledger knows nothing: ${call.label}`);
    if (said === undefined || isRecorded(runs, said)) continue;
    // The ledger has the result, or a result from an approver who was shown the doubt.
    if (journal.endings.has(idOf(key))) continue;
    if (isWaitedFor(present(runs[run]), call, present(saidAt)) || entry?.state !== 'doubt') {
      found.push(`lost what was said: ${said}`);
    }
  }
  return found;
}

/** True if the run still existed when the tool returned, and did not record the call as in doubt. */
function isWaitedFor(run: PlayedRun, call: MadeCall, saidAt: number): boolean {
  const { process, status, messages, overAt, controller } = run;
  if (process.isDead || process.isFrozen || controller.signal.aborted || present(overAt) < saidAt)
    return false;
  if (status === 'parked') return false;
  const result = resultIn(messages, call);
  return result === undefined || isFinal(result);
}

function isRecorded(runs: readonly PlayedRun[], said: string): boolean {
  return runs.some(({ messages, error }) => {
    if (error instanceof LedgerError && JSON.stringify(error.outcome)?.includes(said)) return true;
    return messages !== undefined && JSON.stringify(messages).includes(said);
  });
}
