import { delegatorOf } from '../approvers/delegated.ts';
import type { Policy } from '../approvers/policy.ts';
import { isSamePerson } from '../approvers/same-person.ts';
import { DeskError } from '../errors/desk-error.ts';
import type { DelegationRow, Delegator } from '../model/delegation-row.ts';
import { newId } from '../model/new-id.ts';
import type { Person } from '../model/person.ts';
import type { Store, Tx } from '../store/store.ts';
import { notFound } from './not-found.ts';

/** A delegation to create. */
export interface NewDelegation {
  readonly delegator: Person;
  readonly delegate: Person;
  readonly roles: readonly string[];
  /** The time from which it is no longer valid, in milliseconds since 1970. */
  readonly endsAt: number;
  readonly createdBy: Person;
}

/** The longest time that a delegation is valid. */
const MAX_MS = 366 * 24 * 60 * 60_000;

/** The maximum number of live delegations to one person. */
const MAX_LIVE = 50;

/** Creates a delegation. Its end must be in the future, by the clock of the store. */
export function createDelegation(
  store: Store,
  tenant: string,
  given: NewDelegation,
): Promise<DelegationRow> {
  return store.write(async (tx) => {
    const now = await tx.now();
    if (given.endsAt <= now || given.endsAt > now + MAX_MS) {
      throw delegationError(
        'The end of the delegation is in the past, or more than a year from now. Pass a time within a year.',
      );
    }
    const live = await tx.delegations.liveTo(tenant, given.delegate, now);
    if (live.some(({ delegator }) => isSamePerson(delegator, given.delegator))) {
      throw delegationError(
        'There is a delegation between these two people already. Revoke it before you create another one.',
      );
    }
    if (live.length >= MAX_LIVE) {
      throw delegationError(
        `The delegate has ${MAX_LIVE} delegations already. Revoke some, or choose another delegate.`,
      );
    }
    const row: DelegationRow = Object.freeze({ tenant, id: newId(), ...given, createdAt: now });
    await tx.delegations.insert(row);
    return row;
  });
}

/** Revokes a delegation. One that has ended does not change. */
export function revokeDelegation(
  store: Store,
  tenant: string,
  id: string,
  by: Person,
): Promise<DelegationRow> {
  return store.write(async (tx) => {
    const row = await tx.delegations.lock(tenant, id);
    if (row === undefined) throw notFound('delegation', id);
    const now = await tx.now();
    if (row.revokedAt !== undefined || row.endsAt <= now) return row;
    const revoked = Object.freeze({ ...row, revokedAt: now, revokedBy: by });
    await tx.delegations.put(revoked);
    return revoked;
  });
}

/** Returns the delegator on whose behalf a person decides now, and locks the delegation. */
export async function actingDelegator(
  tx: Tx,
  policy: Policy,
  tenant: string,
  { by, onBehalfOf }: { readonly by: Person; readonly onBehalfOf: Person },
): Promise<Delegator> {
  const now = await tx.now();
  const all = await tx.delegations.liveTo(tenant, by, now);
  for (const { id } of all.filter(({ delegator }) => isSamePerson(delegator, onBehalfOf))) {
    // It may have been revoked since it was read.
    const row = await tx.delegations.lock(tenant, id);
    if (row === undefined || row.revokedAt !== undefined || row.endsAt <= now) continue;
    const delegator = await delegatorOf(row, policy.rolesOf);
    if (delegator !== undefined) return delegator;
  }
  throw new DeskError(
    'may-not-decide',
    `\`${onBehalfOf.id}\` has not delegated approvals to you, or the delegation has ended. Nothing was written.`,
  );
}

function delegationError(why: string): DeskError {
  return new DeskError('delegation-does-not-fit', `${why} Nothing was written.`);
}
