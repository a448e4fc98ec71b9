import type { JsonObject } from 'holdpoint';
import type { Decision } from '../model/decision-row.ts';
import { finalDecision } from '../model/final-decision.ts';
import { hashOf } from '../model/hash.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import type { RequestOutcome } from '../model/request-facts.ts';
import { requireHoldMove, SETTLED_STATES } from '../model/states.ts';
import type { RunChange } from './run-change.ts';

/**
 * Continues a run after its last hold was settled. The run of an agent is queued for a worker. A request from outside
 * can be claimed if its call was approved, and ends otherwise.
 */
export async function resumeRun(change: RunChange): Promise<void> {
  if (change.run.openHolds > 0) return;
  if (change.run.request === undefined) return change.makeReady();
  const hold = await settledHoldOf(change);
  if (hold === undefined) throw new Error(`Request \`${change.run.id}\` has no settled hold.`);
  const outcome = outcomeOf(hold, await decisionOf(change, hold));
  change.move('ready');
  await setDue(change, undefined);
  if (outcome === undefined) return;
  change.move('running');
  await endRequest(change, outcome);
}

/** Returns the settled hold whose outcome the request has not consumed. */
export async function settledHoldOf({ tx, run }: RunChange): Promise<HoldRow | undefined> {
  return (await tx.holds.ofRun(run.tenant, run.id, SETTLED_STATES)).at(-1);
}

/** Returns the decision that a hold ended with. */
export async function decisionOf({ tx }: RunChange, hold: HoldRow): Promise<Decision | undefined> {
  return finalDecision(hold, await tx.decisions.ofHold(hold.tenant, hold.id));
}

/** Returns how a request ends with a settled hold; `undefined` if its call was approved. */
export function outcomeOf(
  { outcome }: HoldRow,
  decision: Decision | undefined,
): RequestOutcome | undefined {
  if (outcome !== 'decided' || decision === undefined) return { kind: 'expired' };
  switch (decision.kind) {
    case 'approve':
      return undefined;
    case 'deny': {
      const { reason } = decision;
      return { kind: 'denied', ...(reason !== undefined && { reason }) };
    }
    case 'input':
    case 'result':
      return { kind: 'value', value: decision.value };
    case 'retry':
      return { kind: 'retry', message: decision.message };
    case 'fail':
      return { kind: 'error', message: decision.message };
  }
}

/** Ends a running request: its call settles in the ledger, and its holds are consumed. */
export async function endRequest(change: RunChange, outcome: RequestOutcome): Promise<void> {
  const { tx, run, now } = change;
  const { tenant, id } = run;
  const output = toJson(outcome);
  for (const entry of await tx.entries.ofRun(tenant, id)) {
    if (entry.state === 'settled') continue;
    const isResolved = entry.state === 'in-doubt';
    await tx.entries.put({
      ...entry,
      state: 'settled',
      until: undefined,
      since: undefined,
      reason: undefined,
      outcome: output,
      changedAt: now,
      ...(isResolved && { attempt: undefined }),
    });
    recordCall(change, isResolved ? 'call-resolved' : 'call-settled', {
      outcome: hashOf('holdpoint/outcome/1', output),
    });
  }
  await consumeHolds(change);
  change.move('finished');
  change.set({ output });
  change.record('run-finished', { output: hashOf('holdpoint/output/1', output) });
  await change.emit('run-finished', {});
  await tx.tasks.remove(tenant, 'run', id);
}

/** Marks the settled holds of a request as consumed. */
export async function consumeHolds({ tx, run }: RunChange): Promise<void> {
  for (const hold of await tx.holds.ofRun(run.tenant, run.id, SETTLED_STATES)) {
    requireHoldMove(hold.state, 'consumed');
    await tx.holds.put({ ...hold, state: 'consumed' });
  }
}

/** Sets the time at which a worker performs the task of a request. */
export async function setDue({ tx, run }: RunChange, due: number | undefined): Promise<void> {
  const task = await tx.tasks.lock(run.tenant, 'run', run.id);
  if (task === undefined) throw new Error(`Request \`${run.id}\` has no task.`);
  await tx.tasks.put({ ...task, due, attempts: 0, givenUpAt: undefined });
}

/** The slot of the ledger for the only call of a request. */
export const REQUEST_SLOT = 'call:0';

/** Records a step of the call of a request in the audit. */
export function recordCall(
  change: RunChange,
  kind: 'call-started' | 'call-settled' | 'call-in-doubt' | 'call-resolved',
  data: JsonObject = {},
): void {
  const { id, request } = change.run;
  const isByOwner = kind === 'call-started' || kind === 'call-settled';
  const by = isByOwner ? request?.owner : undefined;
  change.record(kind, { step: id, slot: REQUEST_SLOT, ...data }, by);
}
