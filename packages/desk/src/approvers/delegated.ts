import type { DelegationRow, Delegator } from '../model/delegation-row.ts';
import type { Person } from '../model/person.ts';
import type { Vote } from '../model/vote.ts';
import { awaitPolicy } from './ask-policy.ts';
import { personKey } from './same-person.ts';

/**
 * Returns the roles that a person has now; `undefined` if the application does not know the person any more. It is called
 * inside a transaction, so it must not call the desk.
 */
export type RolesOf = (
  person: Person,
  tenant: string,
) => readonly string[] | undefined | Promise<readonly string[] | undefined>;

/** An approver who decides: with their own authority, or with that of a delegator. */
export interface ActingApprover {
  readonly by: Person;
  /** Their own roles. */
  readonly roles?: readonly string[] | undefined;
  readonly onBehalfOf?: Delegator | undefined;
}

/** Returns the person whose authority counts, with their roles: the delegator, or the approver. */
export function authorityOf({
  by,
  roles,
  onBehalfOf,
}: ActingApprover): Person & { readonly roles?: readonly string[] | undefined } {
  return onBehalfOf ?? { ...by, roles };
}

/** Returns the approver who gave a vote. */
export function approverOf(vote: Vote): ActingApprover {
  const { id, name, roles, onBehalfOf } = vote;
  return { by: { id, ...(name !== undefined && { name }) }, roles, onBehalfOf };
}

/** Returns the normalised ids of everyone who is a part of a vote: the approver, and the delegator. */
export function partiesOf({ by, onBehalfOf }: ActingApprover): readonly string[] {
  return [by, ...(onBehalfOf === undefined ? [] : [onBehalfOf])].map(personKey);
}

/** Returns the first votes that share no person, so that no person counts twice. */
export function distinctVotes(votes: readonly Vote[]): readonly Vote[] {
  const counted = new Set<string>();
  return votes.filter((vote) => {
    const parties = partiesOf(approverOf(vote));
    if (parties.some((key) => counted.has(key))) return false;
    for (const key of parties) counted.add(key);
    return true;
  });
}

/**
 * Returns those of the roles that a person still has; `undefined` if the application does not know the person any more.
 * Without `rolesOf`, it returns all of them.
 */
export async function rolesNow(
  person: Person,
  roles: readonly string[],
  tenant: string,
  rolesOf: RolesOf | undefined,
): Promise<readonly string[] | undefined> {
  if (rolesOf === undefined) return roles;
  const current = await awaitPolicy('rolesOf', () => rolesOf(person, tenant));
  return Array.isArray(current) ? roles.filter((role) => current.includes(role)) : undefined;
}

/**
 * Returns the delegator of a delegation as decisions use it, with the lent roles that they still have; `undefined` if the
 * application does not know them any more.
 */
export async function delegatorOf(
  { tenant, id, delegator, roles: lent }: DelegationRow,
  rolesOf: RolesOf | undefined,
): Promise<Delegator | undefined> {
  const roles = await rolesNow(delegator, lent, tenant, rolesOf);
  return roles && { ...delegator, roles, delegationId: id };
}

/**
 * Returns a vote with the roles that its approver still has; `undefined` if the application does not know them any more.
 * Without `rolesOf`, the roles are those of the moment of the vote.
 */
export async function voteNow(
  vote: Vote,
  tenant: string,
  rolesOf: RolesOf | undefined,
): Promise<Vote | undefined> {
  if (rolesOf === undefined) return vote;
  const { by, roles: given = [] } = approverOf(vote);
  const roles = await rolesNow(by, given, tenant, rolesOf);
  return roles && { ...vote, roles };
}
