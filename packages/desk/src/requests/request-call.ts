import type { JsonObject } from 'holdpoint';
import { isSamePerson } from '../approvers/same-person.ts';
import { DeskError } from '../errors/desk-error.ts';
import { keyText } from '../ledger/entry-state.ts';
import { editedArgs } from '../model/decision-row.ts';
import type { EntryRow } from '../model/entry-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import type { Tx } from '../store/store.ts';
import { notFound } from '../transitions/not-found.ts';
import { REQUEST_SLOT } from '../transitions/resume-run.ts';
import { RunChange } from '../transitions/run-change.ts';

/** Returns the key of the call of a request in the ledger. */
export function entryKeyOf(requestId: string): string {
  return keyText({ step: requestId, slot: REQUEST_SLOT });
}

/** Locks a request of an owner. A request of another owner is reported as missing. */
export async function lockOwned(
  tx: Tx,
  tenant: string,
  requestId: string,
  by: Person,
): Promise<RunChange> {
  const change = await RunChange.of(tx, tenant, requestId);
  const owner = change?.run.request?.owner;
  if (change === undefined || owner === undefined || !isSamePerson(owner, by)) {
    throw notFound('request', requestId);
  }
  return change;
}

/** Locks the ledger entry of a request that this claim holds; throws if the claim is lost. */
export async function lockClaimed(change: RunChange, token: string): Promise<EntryRow> {
  const { tx, run, now } = change;
  const entry = await tx.entries.lock(run.tenant, entryKeyOf(run.id));
  const isHeld = entry?.state === 'claimed' && entry.attempt === token && now < (entry.until ?? 0);
  if (entry === undefined || !isHeld || run.state !== 'running') throw claimLost(run.id);
  return entry;
}

/** Returns the arguments that an executor receives: those of the request, or those of an approved edit. */
export function argsToExecute({ args, proposal }: HoldRow): JsonObject {
  // The arguments of a request are an object.
  return editedArgs(proposal?.decision) ?? (args as JsonObject);
}

/** The error of a lost claim. */
export function claimLost(id: string): DeskError {
  return new DeskError(
    'request-lost',
    `This claim does not hold request \`${id}\`: its lease ended, it was released, or another token was sent. ` +
      'Nothing was written. Do not execute the call. Read the request: a person may have to decide whether it executed.',
  );
}
