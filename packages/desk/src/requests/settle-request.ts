import { hashOf } from '../model/hash.ts';
import { toJson } from '../model/json.ts';
import type { Person } from '../model/person.ts';
import type { RequestOutcome } from '../model/request-facts.ts';
import type { RunRow } from '../model/run-row.ts';
import type { Tx } from '../store/store.ts';
import { claimedRequest } from '../transitions/cancel-run.ts';
import { cancelHolds } from '../transitions/end-run.ts';
import { endRequest, settledHoldOf } from '../transitions/resume-run.ts';
import type { RequestDeps } from './create-request.ts';
import { parkInDoubt } from './doubt-request.ts';
import { claimLost, entryKeyOf, lockClaimed, lockOwned } from './request-call.ts';

/** The outcome of an execution, as its executor reports it. */
export type Settlement =
  | Extract<RequestOutcome, { readonly kind: 'value' | 'error' }>
  /** It is unknown whether the call had an effect. A person decides. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** The settlement of a claim, by the owner of the request. */
export interface ClaimSettlement {
  readonly by: Person;
  /** The token of the claim. */
  readonly token: string;
  readonly settlement: Settlement;
}

/**
 * Records how the claimed call of a request ended. A repeated settlement with the same outcome has no further effect.
 * After the lease it is rejected as lost.
 */
export function settleRequest(
  deps: RequestDeps,
  tenant: string,
  requestId: string,
  given: ClaimSettlement,
): Promise<RunRow> {
  return deps.store.write((tx) => settleRequestIn(tx, deps, tenant, requestId, given));
}

/** Settles a claim in a transaction that also changes other rows. */
export async function settleRequestIn(
  tx: Tx,
  deps: RequestDeps,
  tenant: string,
  requestId: string,
  { by, token, settlement }: ClaimSettlement,
): Promise<RunRow> {
  const change = await lockOwned(tx, tenant, requestId, by);
  const known = await tx.entries.lock(tenant, entryKeyOf(requestId));
  if (known?.state === 'settled' && known.attempt === token) {
    if (isSame(known.outcome, settlement)) return change.run;
    throw claimLost(requestId);
  }
  const { until = change.now } = await lockClaimed(change, token);
  if (settlement.kind !== 'unknown') {
    await endRequest(change, settlement);
    return change.save();
  }
  const hold = await settledHoldOf(change);
  if (hold === undefined) throw claimLost(requestId);
  const since = Math.min(until, change.now);
  await parkInDoubt(change, deps, hold, { attempt: token, reason: settlement.reason, since });
  return change.save();
}

function isSame(outcome: unknown, settlement: Settlement): boolean {
  const [one, other] = [outcome, settlement].map((value) =>
    hashOf('holdpoint/outcome/1', toJson(value)),
  );
  return one === other;
}

/** Cancels a request whose call was not claimed. A cancelled request stays cancelled. */
export function cancelRequest(
  { store }: RequestDeps,
  tenant: string,
  requestId: string,
  by: Person,
): Promise<RunRow> {
  return store.write(async (tx) => {
    const change = await lockOwned(tx, tenant, requestId, by);
    const { state } = change.run;
    if (state === 'cancelled') return change.run;
    const entry = await tx.entries.lock(tenant, entryKeyOf(requestId));
    if ((state !== 'parked' && state !== 'ready') || entry !== undefined)
      throw claimedRequest(requestId);
    await cancelHolds(change);
    change.move('cancelled');
    change.record('run-cancelled', {}, by);
    await change.emit('run-cancelled', {});
    await tx.tasks.remove(tenant, 'run', requestId);
    return change.save();
  });
}
