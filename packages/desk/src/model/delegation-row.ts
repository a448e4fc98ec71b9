import type { Person } from './person.ts';

/** A delegation: a person lends another one their authority to decide holds, until a time. */
export interface DelegationRow {
  readonly tenant: string;
  readonly id: string;
  /** The person who is away, and whose authority is lent. */
  readonly delegator: Person;
  /** The person who decides on their behalf. */
  readonly delegate: Person;
  /** The roles of the delegator that the delegate may use. */
  readonly roles: readonly string[];
  /** The time from which it is no longer valid. */
  readonly endsAt: number;
  readonly createdBy: Person;
  readonly createdAt: number;
  readonly revokedAt?: number | undefined;
  readonly revokedBy?: Person | undefined;
}

/** The person on whose behalf a delegate decided, with the roles that counted. */
export interface Delegator extends Person {
  readonly roles: readonly string[];
  readonly delegationId: string;
}
