import { UserError } from 'holdpoint';
import { DeskError } from '../errors/desk-error.ts';
import type { Person } from '../model/person.ts';
import type { TaskKind, TaskRow } from '../model/task-row.ts';
import type { Store, Tx } from '../store/store.ts';
import { runIdOf } from './abandon-task.ts';
import { retryRun } from './retry-run.ts';
import { RunChange } from './run-change.ts';

/** A dead letter. */
export interface TaskName {
  readonly tenant: string;
  readonly kind: TaskKind;
  readonly id: string;
}

/** Makes a dead letter due again, with all of its attempts. */
export async function replayTask(store: Store, name: TaskName, by: Person): Promise<void> {
  if (name.kind === 'run') {
    await retryRun(store, name.tenant, name.id, by);
    return;
  }
  await store.write(async (tx) => {
    const { task, change } = await lockedGivenUp(tx, name);
    const due = await tx.now();
    if (name.kind === 'webhook') await renewDelivery(tx, name, due);
    await tx.tasks.put({ ...task, due, attempts: 0, givenUpAt: undefined });
    change?.record('task-replayed', { kind: name.kind, task: name.id }, by);
    await change?.save();
  });
}

/** Deletes the dead letter of a notification or a webhook. */
export async function discardTask(
  store: Store,
  name: TaskName,
  by?: Person | undefined,
): Promise<void> {
  const { tenant, kind, id } = name;
  if (kind === 'run') throw notDiscarded(name, 'Cancel the run with `desk.cancel`.');
  if (kind === 'expiry') throw notDiscarded(name, 'Decide the hold, or replay the task.');
  await store.write(async (tx) => {
    const { change } = await lockedGivenUp(tx, name);
    if (kind === 'webhook') await tx.deliveries.remove(tenant, ...deliveryOf(id));
    await tx.tasks.remove(tenant, kind, id);
    if (change === undefined) return;
    change.record('task-discarded', { kind, task: id }, by);
    await change.save();
  });
}

async function lockedGivenUp(
  tx: Tx,
  name: TaskName,
): Promise<{ readonly task: TaskRow; readonly change: RunChange | undefined }> {
  const { tenant, kind, id } = name;
  const runId = await runIdOf(tx, name);
  // The run is locked before everything else, as it always is.
  const change = runId === undefined ? undefined : await RunChange.of(tx, tenant, runId);
  const task = await tx.tasks.lock(tenant, kind, id);
  if (task?.givenUpAt !== undefined) return { task, change };
  throw new DeskError(
    'not-found',
    `There is no dead letter \`${kind}\` \`${id}\`. It was replayed, was discarded, or belongs to another tenant.`,
  );
}

async function renewDelivery(tx: Tx, { tenant, id }: TaskName, now: number): Promise<void> {
  const row = await tx.deliveries.lock(tenant, ...deliveryOf(id));
  if (row === undefined) return;
  // A delivery that is too old would be given up immediately, so its age starts again.
  const times = { createdAt: now, changedAt: now };
  await tx.deliveries.put({ ...row, ...times, state: 'pending', attempts: 0 });
}

function deliveryOf(taskId: string): readonly [eventId: string, receiver: string] {
  const [eventId = '', receiver = ''] = taskId.split('.');
  return [eventId, receiver];
}

function notDiscarded({ kind, id }: TaskName, advice: string): UserError {
  return new UserError(`Task \`${kind}\` \`${id}\` is pending work. ${advice}`);
}
