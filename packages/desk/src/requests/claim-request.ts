import type { JsonObject } from 'holdpoint';
import { effectiveCallOf } from '../approvers/effective-call.ts';
import { type ExecutionFacts, isApproved } from '../approvers/is-approved.ts';
import { DeskError } from '../errors/desk-error.ts';
import type { EntryRow } from '../model/entry-row.ts';
import { newId } from '../model/new-id.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import type { Tx } from '../store/store.ts';
import { reopenHold, startsUntil } from '../transitions/reopen-holds.ts';
import { decisionOf, recordCall, setDue, settledHoldOf } from '../transitions/resume-run.ts';
import type { RunChange } from '../transitions/run-change.ts';
import { decidingGrant, tamperedHold } from '../transitions/verify-rows.ts';
import type { RequestDeps } from './create-request.ts';
import { parkInDoubt } from './doubt-request.ts';
import { argsToExecute, claimLost, entryKeyOf, lockClaimed, lockOwned } from './request-call.ts';

/** The right to execute the call of a request, until its lease ends. */
export interface RequestClaim {
  readonly requestId: string;
  readonly toolName: string;
  /** The arguments to execute, with the edits of approvers. */
  readonly args: JsonObject;
  /** The secret with which the claim is extended, released and settled. */
  readonly token: string;
  /** A number that increases with each claim. Pass it to systems that reject older claims. */
  readonly fence: number;
  /** The time at which the lease ends, in milliseconds since 1970, by the clock of the store. */
  readonly leaseUntil: number;
}

/** A claim to make. */
export interface NewClaim {
  readonly by: Person;
  /** The token of the claim; a new one by default. The same token returns the same claim. */
  readonly token?: string | undefined;
  /** The duration of the lease, in milliseconds. */
  readonly lease: number;
}

/** The result of the transaction of a claim. A request that needs another decision is stored as such. */
type ClaimResult =
  | { readonly kind: 'claimed'; readonly claim: RequestClaim }
  | { readonly kind: 'rejected'; readonly error: DeskError };

/**
 * Claims an approved request, once. The policy is evaluated again on the arguments that would execute. Throws if the
 * request is not approved, or if it was claimed before.
 */
export async function claimRequest(
  deps: RequestDeps,
  tenant: string,
  requestId: string,
  given: NewClaim,
): Promise<RequestClaim> {
  const result = await deps.store.write(async (tx): Promise<ClaimResult> => {
    const change = await lockOwned(tx, tenant, requestId, given.by);
    const entry = await tx.entries.lock(tenant, entryKeyOf(requestId));
    if (entry?.state === 'claimed') return repeatedClaim(change, entry, given);
    const { state } = change.run;
    const hold = state === 'ready' ? await settledHoldOf(change) : undefined;
    if (hold === undefined) throw notApproved(requestId, state);
    const decision = await decisionOf(change, hold);
    if (decision?.kind !== 'approve') throw notApproved(requestId, state);
    await requireUntampered(change, hold);
    const error = await requestAgain(deps, change, hold);
    if (error !== undefined) {
      await change.save();
      return { kind: 'rejected', error };
    }
    return { kind: 'claimed', claim: await insertClaim(change, hold, entry, given) };
  });
  if (result.kind === 'rejected') throw result.error;
  return result.claim;
}

async function requireUntampered({ tx, run }: RunChange, hold: HoldRow): Promise<void> {
  const tampered = await tamperedHold(tx, run, [hold]);
  if (tampered !== undefined) throw tampered;
}

/**
 * Requests another decision if the decision of a hold does not permit its call now. Returns the
 * error for the executor.
 */
async function requestAgain(
  deps: RequestDeps,
  change: RunChange,
  hold: HoldRow,
): Promise<DeskError | undefined> {
  const { tx, run, now } = change;
  const restored = await tx.restoredFromBackupAt();
  if (hold.createdAt < restored) {
    change.move('running');
    const doubt = { attempt: '', reason: FORGOTTEN, since: restored };
    await parkInDoubt(change, deps, hold, doubt);
    return notApproved(run.id, 'parked');
  }
  const { args, sentArgs, preview } = effectiveCallOf(hold);
  const until = startsUntil(hold, await decisionOf(change, hold));
  const isLate = until !== undefined && until < now;
  const facts: ExecutionFacts = {
    now: async () => now,
    grantOf: (id) => decidingGrant(tx, run.tenant, id),
  };
  const final = { args, sentArgs, preview };
  if (!isLate && (await isApproved(deps.policy, hold, final, facts))) return undefined;
  change.move('running');
  change.move('parked');
  await reopenHold(change, hold);
  change.set({ openHolds: 1 });
  return notApproved(run.id, 'parked');
}

const FORGOTTEN =
  'The database was restored from a backup after this call was approved, so it may have executed since.';

/** A repeated claim with the same token gets the same response, because the first one may have been lost. */
async function repeatedClaim(
  change: RunChange,
  entry: EntryRow,
  { token }: NewClaim,
): Promise<ClaimResult> {
  const { tx, run, now } = change;
  const { attempt, until = 0 } = entry;
  const hold = await settledHoldOf(change);
  const isSame = token !== undefined && token === attempt && now < until;
  if (!isSame || hold === undefined) throw alreadyClaimed(run.id, until, now);
  await requireUntampered(change, hold);
  const task = await tx.tasks.get(run.tenant, 'run', run.id);
  return { kind: 'claimed', claim: claimOf(run.id, hold, token, task?.fence ?? 0, until) };
}

async function insertClaim(
  change: RunChange,
  hold: HoldRow,
  entry: EntryRow | undefined,
  { by, token = newId(), lease }: NewClaim,
): Promise<RequestClaim> {
  const { tx, run, now } = change;
  const { tenant, id } = run;
  const key = entryKeyOf(id);
  if (entry !== undefined) {
    // A token that held the call before could otherwise settle this attempt.
    if (entry.attempt === token) throw claimLost(id);
    recordCall(change, 'call-resolved');
    await tx.entries.remove(tenant, key);
  }
  const until = now + lease;
  const row = { tenant, key, runId: id, attempt: token, until, changedAt: now };
  if (!(await tx.entries.insert({ ...row, state: 'claimed' }))) {
    throw new Error(`Request \`${id}\` has a ledger entry already.`);
  }
  const task = await tx.tasks.lock(tenant, 'run', id);
  if (task === undefined) throw new Error(`Request \`${id}\` has no task.`);
  const fence = task.fence + 1;
  const claimedBy = by.id.slice(0, 200);
  await tx.tasks.put({ ...task, fence, attempts: 0, due: until, claimedBy, claimedAt: now });
  await tx.holds.put({ ...hold, isStarted: true });
  change.move('running');
  recordCall(change, 'call-started', { fence });
  await change.save();
  return claimOf(id, hold, token, fence, until);
}

function claimOf(
  requestId: string,
  hold: HoldRow,
  token: string,
  fence: number,
  leaseUntil: number,
): RequestClaim {
  const args = argsToExecute(hold);
  return Object.freeze({ requestId, toolName: hold.toolName, args, token, fence, leaseUntil });
}

/** Extends the lease of a claim. Returns the time at which it ends. */
export async function extendClaim(
  deps: RequestDeps,
  tenant: string,
  requestId: string,
  { by, token, lease }: NewClaim & { readonly token: string },
): Promise<number> {
  return deps.store.write(async (tx) => {
    const change = await lockOwned(tx, tenant, requestId, by);
    const entry = await lockClaimed(change, token);
    const until = change.now + lease;
    await tx.entries.put({ ...entry, until, changedAt: change.now });
    await setDue(change, until);
    return until;
  });
}

/** Releases a claim whose call has not started. The request can be claimed again. */
export async function releaseClaim(
  deps: RequestDeps,
  tenant: string,
  requestId: string,
  { by, token }: { readonly by: Person; readonly token: string },
): Promise<void> {
  await deps.store.write(async (tx) => {
    const change = await lockOwned(tx, tenant, requestId, by);
    const { key } = await lockClaimed(change, token);
    await tx.entries.remove(tenant, key);
    await markNotStarted(tx, change);
    await setDue(change, undefined);
    change.move('ready');
    change.record('run-released', {}, by);
    await change.save();
  });
}

async function markNotStarted(tx: Tx, change: RunChange): Promise<void> {
  const hold = await settledHoldOf(change);
  if (hold !== undefined) await tx.holds.put({ ...hold, isStarted: undefined });
}

function notApproved(id: string, state: string): DeskError {
  const about = state === 'parked' ? 'it is waiting for a decision' : 'it has ended';
  return new DeskError(
    'request-not-approved',
    `Request \`${id}\` is not approved: ${about}. Nothing may execute. Read its state, and claim it once it is approved.`,
  );
}

function alreadyClaimed(id: string, until: number, now: number): DeskError {
  const about =
    now < until
      ? `Its lease ends at ${new Date(until).toISOString()}.`
      : 'Its lease has ended, so the call is in doubt, and a person decides about it.';
  return new DeskError(
    'request-claimed',
    `Request \`${id}\` was claimed before. ${about} Do not execute the call.`,
  );
}
