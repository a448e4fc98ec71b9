import type { TamperedError } from '../errors/tampered-error.ts';
import type { HoldAnswer } from '../model/answer-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { InputRow } from '../model/input-row.ts';
import type { MessageRow } from '../model/message-row.ts';
import type { RunProblem, RunRow } from '../model/run-row.ts';
import { decidedAnswer } from '../model/settled-answer.ts';
import { SETTLED_STATES } from '../model/states.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Store, Tx } from '../store/store.ts';
import { claimedRun } from './claimed-run.ts';
import { stick } from './give-back-run.ts';
import { reopen, startsUntil } from './reopen-holds.ts';
import { tamperedHold } from './verify-rows.ts';

/** A hold whose outcome the run has to hear of. */
export interface SettledHold {
  readonly hold: HoldRow;
  /** What it comes to, if it was decided. */
  readonly answer: HoldAnswer | undefined;
  /** Until when the call may start, if it may run; `undefined` for ever. */
  readonly startsUntil: number | undefined;
}

/** All that a worker needs to go on with a run. */
export interface BegunRun {
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
  mostTries: number,
  report: (error: unknown) => void = () => {},
): Promise<BegunRun | undefined> {
  let tampered: TamperedError | undefined;
  const begun = await store.write(async (tx) => {
    tampered = undefined;
    const { change, task } = await claimedRun(tx, claim);
    if (change.run.state !== 'ready' && change.run.state !== 'running') {
      await tx.tasks.put({ ...task, due: undefined });
      return undefined;
    }
    if (task.tries > mostTries) {
      const known = change.run.error?.message ?? 'Workers ended without a word.';
      await stick(change, task, { message: `It was tried ${mostTries} times. ${known}` });
      await change.save();
      return undefined;
    }
    if (change.run.createdAt < (await tx.forgottenBefore())) {
      await stick(change, task, FORGOTTEN);
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
      await stick(change, task, { code: tampered.code, message: tampered.message });
      await change.save();
      return undefined;
    }
    change.move('running');
    const lapsed = lapsedOf(settled, change.now);
    if (lapsed.length > 0) {
      await reopen(change, task, lapsed);
      await change.save();
      return undefined;
    }
    await markBegun(tx, settled);
    change.note('run-begun', { fence: claim.fence, try: task.tries });
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

/** Whatever it has done since the backup was made, this database does not know of. */
const FORGOTTEN: RunProblem = {
  code: 'step-forgotten',
  message:
    'The database was restored from a backup after this run was started, so it may have gone on since. ' +
    'Look at what it has done, cancel it, and start another one for the rest.',
};

async function settledHolds(tx: Tx, { tenant, id }: RunRow): Promise<readonly SettledHold[]> {
  const settled: SettledHold[] = [];
  for (const hold of await tx.holds.ofRun(tenant, id, SETTLED_STATES)) {
    const answers = hold.state === 'decided' ? await tx.answers.ofHold(tenant, hold.id) : [];
    const answer = decidedAnswer(hold, answers);
    settled.push({ hold, answer, startsUntil: startsUntil(hold, answer) });
  }
  return settled;
}

/** The holds whose calls may not start any more. Of those that were begun with, the ledger knows. */
function lapsedOf(settled: readonly SettledHold[], now: number): readonly HoldRow[] {
  const lapsed = settled.filter(
    ({ hold, startsUntil: until }) => until !== undefined && until < now && !hold.isBegun,
  );
  return lapsed.map(({ hold }) => hold);
}

async function markBegun(tx: Tx, settled: readonly SettledHold[]): Promise<void> {
  for (const { hold, startsUntil: until } of settled) {
    if (until !== undefined && !hold.isBegun) await tx.holds.put({ ...hold, isBegun: true });
  }
}
