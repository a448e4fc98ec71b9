import type { TamperedError } from '../errors/tampered-error.ts';
import type { Decision } from '../model/decision-row.ts';
import type { EntryRow } from '../model/entry-row.ts';
import { finalDecision } from '../model/final-decision.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { InputRow } from '../model/input-row.ts';
import type { MessageRow } from '../model/message-row.ts';
import type { RunProblem, RunRow } from '../model/run-row.ts';
import { SETTLED_STATES } from '../model/states.ts';
import type { TaskRow } from '../model/task-row.ts';
import type { ReadTx } from '../store/store.ts';
import type { ClaimedRun } from './claimed-run.ts';
import { markStuck } from './release-run.ts';
import { reopen, startsUntil } from './reopen-holds.ts';
import type { RunWriter } from './run-writer.ts';
import { tamperedHold } from './verify-rows.ts';

/** A settled hold whose outcome is not in the history of its run yet. */
export interface SettledHold {
  readonly hold: HoldRow;
  /** The final decision, if it was decided. */
  readonly decision: Decision | undefined;
  /** The time until which an approved call may start; `undefined` for no limit. */
  readonly startsUntil: number | undefined;
}

/** A claimed run with everything that a worker needs to execute it. */
export interface BegunRun {
  readonly run: RunRow;
  readonly messages: readonly MessageRow[];
  readonly settled: readonly SettledHold[];
  /** The prompts that the model has not received yet. */
  readonly inputs: readonly InputRow[];
  /** The entries of the run in the ledger. */
  readonly entries: readonly EntryRow[];
}

/** The reason why a claimed run does not execute now. */
type Obstacle =
  /** It has parked or ended, and only its task remains. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'stuck'; readonly problem: RunProblem }
  | { readonly kind: 'tampered'; readonly error: TamperedError }
  /** Calls were approved too long ago. */
  | { readonly kind: 'expired'; readonly holds: readonly HoldRow[] };

/**
 * Reads a claimed run to execute it; returns `undefined` if it does not execute now. A run with too many attempts
 * without progress becomes stuck. A run whose approvals have expired parks again and executes nothing.
 */
export async function beginRun(
  writer: RunWriter,
  maxAttempts: number,
  report: (error: unknown) => void = () => {},
): Promise<BegunRun | undefined> {
  const { store, claim } = writer;
  const { tenant, id, fence, attempts } = claim;
  const begun = await store.read(
    async (tx) => {
      const run = await tx.runs.get(tenant, id);
      const task = await tx.tasks.get(tenant, 'run', id);
      if (run === undefined || task?.fence !== fence) return undefined;
      const settled = await settledHolds(tx, run);
      if ((await obstacleOf(tx, run, task, settled, maxAttempts)) !== undefined) return undefined;
      return {
        run,
        settled,
        messages: await tx.messages.from(tenant, run.conversationId, 0),
        inputs: await tx.inputs.ofRun(tenant, id, ['queued']),
        entries: await tx.entries.ofRun(tenant, id),
      };
    },
    { about: { tenant, runId: id } },
  );
  if (begun === undefined) {
    await writeObstacle(writer, maxAttempts, report);
    return undefined;
  }
  writer.defer(async ({ change }) => {
    change.move('running');
    change.record('run-claimed', { fence, try: attempts });
    for (const { hold, startsUntil: until } of begun.settled) {
      if (until === undefined || hold.isStarted) continue;
      const stored = await change.tx.holds.lock(tenant, hold.id);
      if (stored !== undefined) await change.tx.holds.put({ ...stored, isStarted: true });
    }
  });
  return begun;
}

/** Records why a run does not execute now. */
async function writeObstacle(
  writer: RunWriter,
  maxAttempts: number,
  report: (error: unknown) => void,
): Promise<void> {
  const obstacle = await writer.write(async (claimed) => {
    const { tx, change, task } = claimed;
    const settled = await settledHolds(tx, change.run);
    const found = await obstacleOf(tx, change.run, task, settled, maxAttempts);
    if (found === undefined) await claimed.setTask({ due: change.now });
    else await applyObstacle(claimed, found);
    return found;
  });
  if (obstacle?.kind === 'tampered') report(obstacle.error);
}

async function applyObstacle(claimed: ClaimedRun, obstacle: Obstacle): Promise<void> {
  switch (obstacle.kind) {
    case 'idle':
      return claimed.setTask({ due: undefined });
    case 'stuck':
      return markStuck(claimed, obstacle.problem);
    case 'tampered': {
      const { code, message } = obstacle.error;
      return markStuck(claimed, { code, message });
    }
    case 'expired':
      claimed.change.move('running');
      return reopen(claimed, obstacle.holds);
  }
}

async function obstacleOf(
  tx: ReadTx,
  run: RunRow,
  task: TaskRow,
  settled: readonly SettledHold[],
  maxAttempts: number,
): Promise<Obstacle | undefined> {
  if (run.state !== 'ready' && run.state !== 'running') return { kind: 'idle' };
  if (task.attempts > maxAttempts) {
    const known = run.error?.message ?? 'Its workers stopped without an error.';
    return { kind: 'stuck', problem: { message: `${maxAttempts} attempts failed. ${known}` } };
  }
  if (run.createdAt < (await tx.restoredFromBackupAt())) {
    return { kind: 'stuck', problem: FORGOTTEN };
  }
  const holds = settled.map(({ hold }) => hold);
  const error = await tamperedHold(tx, run, holds);
  if (error !== undefined) return { kind: 'tampered', error };
  const expired = expiredOf(settled, await tx.now());
  return expired.length === 0 ? undefined : { kind: 'expired', holds: expired };
}

/** The database does not contain the steps of the run since the backup. */
const FORGOTTEN: RunProblem = {
  code: 'step-forgotten',
  message:
    'The database was restored from a backup after this run was started, so it may have executed calls since. ' +
    'Check which calls it has executed, cancel it, and start another run for the rest.',
};

async function settledHolds(tx: ReadTx, { tenant, id }: RunRow): Promise<readonly SettledHold[]> {
  const settled: SettledHold[] = [];
  for (const hold of await tx.holds.ofRun(tenant, id, SETTLED_STATES)) {
    const decisions = hold.state === 'decided' ? await tx.decisions.ofHold(tenant, hold.id) : [];
    const decision = finalDecision(hold, decisions);
    settled.push({ hold, decision, startsUntil: startsUntil(hold, decision) });
  }
  return settled;
}

/** Returns the holds whose calls may not start any more. The ledger contains the calls that a worker has started. */
function expiredOf(settled: readonly SettledHold[], now: number): readonly HoldRow[] {
  const expired = settled.filter(
    ({ hold, startsUntil: until }) => until !== undefined && until < now && !hold.isStarted,
  );
  return expired.map(({ hold }) => hold);
}
