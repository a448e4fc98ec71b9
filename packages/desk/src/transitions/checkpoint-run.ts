import type { JsonValue } from 'holdpoint';
import type { MessageRow } from '../model/message-row.ts';
import { requireHoldMove, SETTLED_STATES } from '../model/states.ts';
import { deliverInputs } from './inputs.ts';
import type { RunChange } from './run-change.ts';
import type { ClaimedChange } from './run-writer.ts';

/** The new part of the history of a run. */
export interface Progress {
  /** The position of the first message that differs from the stored ones. */
  readonly position: number;
  /** The messages from this position on, as JSON texts. */
  readonly messages: readonly string[];
  /** The version of their format. */
  readonly version: number;
  readonly usage: JsonValue;
  /** True if the outcomes of settled holds, and the inputs, are in these messages for the first time. */
  readonly hasHeard: boolean;
  /** The fingerprint of the redaction rules that were applied to all of it; no rules by default. */
  readonly redactionRules?: string | undefined;
  /** The number of the last input that is in these messages; all queued inputs by default. */
  readonly lastInput?: number | undefined;
}

/** A completed step of a run. */
export interface Checkpoint extends Progress {
  /** True if the attempt made progress: the count of attempts restarts. */
  readonly isProgress: boolean;
}

/** Returns the change that stores the messages that a step has added. */
export function checkpoint(point: Checkpoint): ClaimedChange {
  return async (run) => {
    await writeProgress(run.change, point);
    if (point.isProgress && run.task.attempts > 1) await run.setTask({ attempts: 1 });
  };
}

/** Writes messages and usage, and marks the holds whose outcomes they contain as consumed. */
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
