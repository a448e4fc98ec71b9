import type { JsonValue } from 'holdpoint';
import type { MessageRow } from '../model/message-row.ts';
import { requireHoldMove, SETTLED_STATES } from '../model/states.ts';
import { deliverInputs } from './inputs.ts';
import type { RunChange } from './run-change.ts';
import type { ClaimedChange } from './run-writer.ts';

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

/** Returns the change that stores what a step has added to the history. */
export function checkpoint(point: Checkpoint): ClaimedChange {
  return async (run) => {
    await writeProgress(run.change, point);
    if (point.isProgress && run.task.attempts > 1) await run.setTask({ attempts: 1 });
  };
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
