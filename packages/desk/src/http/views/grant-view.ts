import { z } from '@hono/zod-openapi';
import { GRANT_SCOPES, type GrantScope } from '../../model/approver-rule.ts';
import type { GrantMatch, GrantRow } from '../../model/grant-row.ts';
import type { JsonObject } from 'holdpoint';
import type { Person } from '../../model/person.ts';
import type { Vote } from '../../model/vote.ts';
import type { Redaction } from '../../redaction/redaction.ts';
import type { Secrets } from '../../redaction/secrets.ts';
import { jsonObjectSchema, timeSchema } from './json-schema.ts';
import { personSchema } from './person-view.ts';

/** Approvals that were given in advance. */
export interface GrantView {
  readonly id: string;
  readonly scope: GrantScope;
  readonly toolName: string;
  /** Which arguments it is for: any, the same as those of the call that it was given with, or these members. */
  readonly match: { readonly kind: GrantMatch['kind']; readonly args?: JsonObject | undefined };
  readonly agent: string;
  readonly path: readonly string[];
  readonly conversationId: string;
  /** Who had asked for the call that it was given with. */
  readonly requester?: Person | undefined;
  /** Who has approved. */
  readonly by: readonly Vote[];
  readonly holdId: string;
  readonly runId: string;
  readonly expiresAt?: number | undefined;
  readonly uses?: number | undefined;
  readonly used: number;
  readonly createdAt: number;
  readonly revokedAt?: number | undefined;
  readonly revokedBy?: Person | undefined;
}

export const grantSchema: z.ZodType<GrantView> = z
  .strictObject({
    id: z.string(),
    scope: z.enum(GRANT_SCOPES),
    toolName: z.string(),
    match: z.strictObject({
      kind: z.enum(['any', 'same', 'contains']),
      args: jsonObjectSchema.optional(),
    }),
    agent: z.string(),
    path: z.array(z.string()),
    conversationId: z.string(),
    requester: personSchema.optional(),
    by: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string().optional(),
        at: timeSchema,
        roles: z.array(z.string()).optional(),
      }),
    ),
    holdId: z.string(),
    runId: z.string(),
    expiresAt: timeSchema.optional(),
    uses: z.number().optional(),
    used: z.number(),
    createdAt: timeSchema,
    revokedAt: timeSchema.optional(),
    revokedBy: personSchema.optional(),
  })
  .openapi('Grant');

/** A grant without what people are not to see. */
export function grantView(grant: GrantRow, redaction: Redaction, secrets: Secrets): GrantView {
  const { tenant: _tenant, toolHash: _toolHash, match, toolName, ...rest } = grant;
  const { requesterKey: _requesterKey, auditEntry: _auditEntry, ...shown } = rest;
  const args =
    match.kind === 'contains'
      ? secrets.takeOutOf(redaction.argsOf({ toolName, args: match.args }))
      : undefined;
  return {
    ...shown,
    toolName,
    // An object without some members is one.
    match: { kind: match.kind, ...(args !== undefined && { args: args as JsonObject }) },
  };
}
