import { z } from '@hono/zod-openapi';
import type { DelegationRow } from '../../model/delegation-row.ts';
import type { Person } from '../../model/person.ts';
import { isoTime, optionalTime, personSchema, timeSchema } from './schemas.ts';

/** A delegation: one person decides on behalf of another until a time. */
export interface DelegationView {
  readonly id: string;
  /** The person who is away. */
  readonly from: Person;
  /** The person who decides on their behalf. */
  readonly to: Person;
  /** The roles of `from` that `to` may use. */
  readonly roles: readonly string[];
  readonly until: string;
  readonly createdBy: Person;
  readonly createdAt: string;
  readonly revokedAt?: string | undefined;
  readonly revokedBy?: Person | undefined;
}

export const delegationSchema: z.ZodType<DelegationView> = z
  .strictObject({
    id: z.string(),
    from: personSchema,
    to: personSchema,
    roles: z.array(z.string()),
    until: timeSchema,
    createdBy: personSchema,
    createdAt: timeSchema,
    revokedAt: timeSchema.optional(),
    revokedBy: personSchema.optional(),
  })
  .openapi('Delegation');

/** Returns a delegation for callers. */
export function delegationView(row: DelegationRow): DelegationView {
  const { id, delegator, delegate, roles, endsAt, createdBy, createdAt, revokedBy } = row;
  return {
    id,
    from: delegator,
    to: delegate,
    roles,
    until: isoTime(endsAt),
    createdBy,
    createdAt: isoTime(createdAt),
    revokedAt: optionalTime(row.revokedAt),
    revokedBy,
  };
}
