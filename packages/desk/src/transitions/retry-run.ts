import { DeskError } from '../errors/desk-error.ts';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import type { Store } from '../store/store.ts';
import { notFound } from './not-found.ts';
import { RunChange } from './run-change.ts';

/** Resets the attempts of a stuck run and queues it again. */
export function retryRun(store: Store, tenant: string, runId: string, by: Person): Promise<RunRow> {
  return store.write(async (tx) => {
    const change = await RunChange.of(tx, tenant, runId);
    if (change === undefined) throw notFound('run', runId);
    const { state } = change.run;
    if (state !== 'stuck') {
      throw new DeskError(
        'run-ended',
        `Run \`${runId}\` is ${state}. Only a stuck run can be retried.`,
      );
    }
    change.record('run-retried', {}, by);
    await change.makeReady();
    return change.save();
  });
}
