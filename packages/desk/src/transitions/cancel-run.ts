import { DeskError } from '../errors/desk-error.ts';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import { isOver } from '../model/states.ts';
import type { Store } from '../store/store.ts';
import { cancelHolds } from './end-run.ts';
import { dropInputs } from './inputs.ts';
import { notFound } from './not-found.ts';
import { RunChange } from './run-change.ts';

/**
 * Cancels a run in any state: no further call starts. The worker that has it is notified, and
 * the signals of calls that are executing abort. Such a call may still complete.
 *
 * Throws for a request whose call another program executes: the outcome would not be recorded.
 */
export function cancelRun(
  store: Store,
  tenant: string,
  runId: string,
  by: Person,
): Promise<RunRow> {
  return store.write(async (tx) => {
    const change = await RunChange.of(tx, tenant, runId);
    if (change === undefined) throw notFound('run', runId);
    if (change.run.state === 'cancelled') return change.run;
    if (isOver(change.run.state)) throw ended(change.run);
    if (change.run.request !== undefined && change.run.state === 'running') {
      throw claimedRequest(runId);
    }
    await cancelHolds(change);
    change.move('cancelled');
    await dropInputs(change);
    change.record('run-cancelled', {}, by);
    await change.emit('run-cancelled', {});
    await tx.tasks.revoke(tenant, 'run', runId);
    return change.save();
  });
}

/** The error for a request that cannot be cancelled any more. */
export function claimedRequest(id: string): DeskError {
  return new DeskError(
    'request-claimed',
    `Request \`${id}\` cannot be cancelled: its call was claimed or it has ended. Nothing was written. Read its state.`,
  );
}

function ended({ id, state }: RunRow): DeskError {
  return new DeskError('run-ended', `Run '${id}' is ${state}: there is nothing to cancel.`);
}
