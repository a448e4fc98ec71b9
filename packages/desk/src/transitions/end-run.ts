import type { JsonValue } from 'holdpoint';
import { hashOf } from '../model/hash.ts';
import type { RunProblem, RunRow } from '../model/run-row.ts';
import { SETTLED_STATES } from '../model/states.ts';
import { type Progress, writeProgress } from './checkpoint-run.ts';
import { dropInputs } from './inputs.ts';
import type { RunChange } from './run-change.ts';
import type { RunWriter } from './run-writer.ts';

/** Ends a run with its output. */
export function finishRun(
  writer: RunWriter,
  finished: Progress & { readonly output: JsonValue },
): Promise<RunRow> {
  const { fence } = writer.claim;
  return writer.write(async ({ change }) => {
    await writeProgress(change, finished);
    change.move('finished');
    change.set({ output: finished.output, error: undefined });
    const output = hashOf('holdpoint/output/1', finished.output);
    change.record('run-finished', { fence, output });
    await change.emit('run-finished', {});
    return releaseTask(change);
  });
}

/** Ends a run with an error that another attempt would not change. */
export function failRun(
  writer: RunWriter,
  failed: Progress & { readonly problem: RunProblem },
): Promise<RunRow> {
  const { fence } = writer.claim;
  return writer.write(async ({ change }) => {
    await writeProgress(change, failed);
    await cancelHolds(change);
    change.move('failed');
    await dropInputs(change);
    change.set({ error: failed.problem });
    change.record('run-failed', { fence, code: failed.problem.code ?? null });
    await change.emit('run-failed', {});
    return releaseTask(change);
  });
}

/** Cancels the holds that the run has not consumed. */
export async function cancelHolds(change: RunChange): Promise<void> {
  const { tenant, id } = change.run;
  for (const hold of await change.tx.holds.ofRun(tenant, id, ['open', ...SETTLED_STATES])) {
    await change.settle(hold, 'cancelled');
    change.record('hold-cancelled', { holdId: hold.id });
  }
}

/** Removes the task of a run. A worker that still executes it loses its claim. */
async function releaseTask(change: RunChange): Promise<RunRow> {
  await change.tx.tasks.remove(change.run.tenant, 'run', change.run.id);
  return change.run;
}
