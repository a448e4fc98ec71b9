import { hashOf } from '../model/hash.ts';
import type { InputState } from '../model/input-row.ts';
import { type NewInput, RaceLostError, requesterKeyOf } from './accept-once.ts';
import type { RunChange } from './run-change.ts';

const ALL_STATES: readonly InputState[] = ['queued', 'delivered', 'dropped'];

/** Adds a prompt to the queue of a run, with its idempotency key. */
export async function queueInput({ tx, run, now }: RunChange, given: NewInput): Promise<void> {
  const { tenant, id: runId } = run;
  const { input: body, requester, idempotencyKey, hash } = given;
  const before = await tx.inputs.ofRun(tenant, runId, ALL_STATES);
  const isQueued = await tx.inputs.insert({
    tenant,
    runId,
    number: before.length + 1,
    state: 'queued',
    body,
    requesterKey: requesterKeyOf(requester),
    idempotencyKey,
    hash,
    acceptedAt: now,
  });
  if (!isQueued) throw new RaceLostError('The idempotency key was used at the same moment.');
}

/** Marks the queued inputs of a run up to a number as delivered: they are in the stored history. */
export async function deliverInputs({ tx, run }: RunChange, last: number): Promise<void> {
  for (const input of await tx.inputs.ofRun(run.tenant, run.id, ['queued'])) {
    if (input.number > last) return;
    await tx.inputs.put({ ...input, state: 'delivered', body: undefined });
  }
}

/** Drops the queued inputs of a run that ends before its model received them. They stay stored. */
export async function dropInputs(change: RunChange): Promise<void> {
  const { tx, run } = change;
  for (const input of await tx.inputs.ofRun(run.tenant, run.id, ['queued'])) {
    await tx.inputs.put({ ...input, state: 'dropped' });
    // The audit already records that the run ended with the prompt that started it.
    if (input.number === 1) continue;
    change.record('message-dropped', { message: messageHash(input.body ?? '') });
  }
}

/** Returns the hash that identifies a message in the audit. */
export function messageHash(body: string): string {
  return hashOf('holdpoint/message/1', body);
}
