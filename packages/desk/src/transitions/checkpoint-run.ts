import type { JsonValue } from 'holdpoint';
import type { MessageRow } from '../model/message-row.ts';
import { requireHoldMove, SETTLED_STATES } from '../model/states.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Store } from '../store/store.ts';
import { claimedRun } from './claimed-run.ts';
import { deliverInputs } from './inputs.ts';
import type { RunChange } from './run-change.ts';

/** The new part of the history of a run. */
export interface Progress {
  /** From where on the messages are others than those that are stored. */
  readonly position: number;
  /** The messages from there on, as JSON texts. */
  readonly messages: readonly string[];
  /** The version of their format. */
  readonly version: number;
  readonly usage: JsonValue;
  /** True if the outcomes of settled holds, and the inputs, are in these messages. */
  readonly hasHeard: boolean;
  /** The fingerprint of the redaction rules that were applied to all of it; no rules unless given. */
  readonly redactionRules?: string | undefined;
  /** The number of the last input that is in these messages; all that are queued unless given. */
  readonly lastInput?: number | undefined;
}

/** A step of a run that was taken. */
export interface Checkpoint extends Progress {
  /** True if the attempt made progress: attempts are counted from the start again. */
  readonly isProgress: boolean;
}

/** Stores what a step has added to the history. */
export function checkpointRun(store: Store, claim: TaskClaim, point: Checkpoint): Promise<void> {
  return store.write(async (tx) => {
    const { change, task } = await claimedRun(tx, claim);
    await writeProgress(change, point);
    if (point.isProgress && task.attempts > 1) await tx.tasks.put({ ...task, attempts: 1 });
    await change.save();
  });
}

/** Writes messages and usage; what the run has heard of is consumed. */
export async function writeProgress(change: RunChange, progress: Progress): Promise<void> {
  const { tx, run } = change;
  const { tenant, conversationId, id: runId } = run;
  const { position, messages, version, usage } = progress;
  const rows = messages.map((body, index): MessageRow => {
    return { tenant, conversationId, position: position + index, runId, version, body };
  });
  await tx.messages.replaceFrom(tenant, conversationId, position, rows);
  change.set({ usage, redactionRules: progress.redactionRules ?? '' });
  if (!progress.hasHeard) return;
  await deliverInputs(change, progress.lastInput ?? Number.POSITIVE_INFINITY);
  for (const hold of await tx.holds.ofRun(tenant, runId, SETTLED_STATES)) {
    requireHoldMove(hold.state, 'consumed');
    await tx.holds.put({ ...hold, state: 'consumed' });
  }
}
