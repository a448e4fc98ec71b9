import type { TamperedError } from '../errors/tampered-error.ts';
import type { Decision } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { InputRow } from '../model/input-row.ts';
import type { MessageRow } from '../model/message-row.ts';
import type { RunProblem, RunRow } from '../model/run-row.ts';
import { finalDecision } from '../model/final-decision.ts';
import { SETTLED_STATES } from '../model/states.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Store, Tx } from '../store/store.ts';
import { claimedRun } from './claimed-run.ts';
import { markStuck } from './release-run.ts';
import { reopen, startsUntil } from './reopen-holds.ts';
import { tamperedHold } from './verify-rows.ts';

/** A settled hold whose outcome is not in the history of its run yet. */
export interface SettledHold {
  readonly hold: HoldRow;
  /** The final decision, if it was decided. */
  readonly decision: Decision | undefined;
  /** Until when the call may start, if it may run; `undefined` for ever. */
  readonly startsUntil: number | undefined;
}

/** A claimed run with everything that a worker needs to execute it. */
export interface ClaimedRun {
  readonly run: RunRow;
  readonly messages: readonly MessageRow[];
  readonly settled: readonly SettledHold[];
  /** The prompts that the model has still to receive. */
  readonly inputs: readonly InputRow[];
}

/**
 * Begins to work on a claimed run; `undefined` if there is nothing to do. One that was taken too often
 * without anything coming of it is stuck from then on. One whose calls were approved too long ago is parked
 * again, and nothing of it runs.
 */
export async function beginRun(
  store: Store,
  claim: TaskClaim,
  maxAttempts: number,
  report: (error: unknown) => void = () => {},
): Promise<ClaimedRun | undefined> {
  let tampered: TamperedError | undefined;
  const begun = await store.write(async (tx) => {
    tampered = undefined;
    const { change, task } = await claimedRun(tx, claim);
    if (change.run.state !== 'ready' && change.run.state !== 'running') {
      await tx.tasks.put({ ...task, due: undefined });
      return undefined;
    }
    if (task.attempts > maxAttempts) {
      const known = change.run.error?.message ?? 'Workers ended without a word.';
      await markStuck(change, task, { message: `It was tried ${maxAttempts} times. ${known}` });
      await change.save();
      return undefined;
    }
    if (change.run.createdAt < (await tx.restoredFromBackupAt())) {
      await markStuck(change, task, FORGOTTEN);
      await change.save();
      return undefined;
    }
    const settled = await settledHolds(tx, change.run);
    tampered = await tamperedHold(
      tx,
      change.run,
      settled.map(({ hold }) => hold),
    );
    if (tampered !== undefined) {
      await markStuck(change, task, { code: tampered.code, message: tampered.message });
      await change.save();
      return undefined;
    }
    change.move('running');
    const expired = expiredOf(settled, change.now);
    if (expired.length > 0) {
      await reopen(change, task, expired);
      await change.save();
      return undefined;
    }
    await markStarted(tx, settled);
    change.record('run-claimed', { fence: claim.fence, try: task.attempts });
    const run = await change.save();
    return {
      run,
      messages: await tx.messages.from(run.tenant, run.conversationId, 0),
      settled,
      inputs: await tx.inputs.ofRun(run.tenant, run.id, ['queued']),
    };
  });
  if (tampered !== undefined) report(tampered);
  return begun;
}

/** The database does not contain the steps of the run since the backup. */
const FORGOTTEN: RunProblem = {
  code: 'step-forgotten',
  message:
    'The database was restored from a backup after this run was started, so it may have executed calls since. ' +
    'Check what it has done, cancel it, and start another run for the rest.',
};

async function settledHolds(tx: Tx, { tenant, id }: RunRow): Promise<readonly SettledHold[]> {
  const settled: SettledHold[] = [];
  for (const hold of await tx.holds.ofRun(tenant, id, SETTLED_STATES)) {
    const decisions = hold.state === 'decided' ? await tx.decisions.ofHold(tenant, hold.id) : [];
    const decision = finalDecision(hold, decisions);
    settled.push({ hold, decision, startsUntil: startsUntil(hold, decision) });
  }
  return settled;
}

/** The holds whose calls may not start any more. Of those that were begun with, the ledger knows. */
function expiredOf(settled: readonly SettledHold[], now: number): readonly HoldRow[] {
  const expired = settled.filter(
    ({ hold, startsUntil: until }) => until !== undefined && until < now && !hold.isStarted,
  );
  return expired.map(({ hold }) => hold);
}

async function markStarted(tx: Tx, settled: readonly SettledHold[]): Promise<void> {
  for (const { hold, startsUntil: until } of settled) {
    if (until !== undefined && !hold.isStarted) await tx.holds.put({ ...hold, isStarted: true });
  }
}
