import { z } from '@hono/zod-openapi';
import { GRANT_SCOPES, type GrantScope } from '../../model/approver-rule.ts';
import type { GrantMatch, GrantRow } from '../../model/grant-row.ts';
import type { JsonObject } from 'holdpoint';
import type { GrantRequest } from '../../model/grant-request.ts';
import type { Person } from '../../model/person.ts';
import type { Vote } from '../../model/vote.ts';
import type { Redaction } from '../../redaction/redaction.ts';
import type { Secrets } from '../../redaction/secrets.ts';
import { isoTime, jsonObjectSchema, optionalTime, personSchema, timeSchema } from './schemas.ts';

/** A stored approval of similar calls. */
export interface GrantView {
  readonly id: string;
  readonly scope: GrantScope;
  readonly toolName: string;
  /** The arguments that it permits: any, the same as those of the approved call, or these members. */
  readonly match: { readonly kind: GrantMatch['kind']; readonly args?: JsonObject | undefined };
  readonly agent: string;
  readonly path: readonly string[];
  readonly conversationId: string;
  /** The requester of the approved call. */
  readonly requester?: Person | undefined;
  /** The approvers. */
  readonly by: readonly GrantVoteView[];
  readonly holdId: string;
  readonly runId: string;
  readonly expiresAt?: string | undefined;
  readonly uses?: number | undefined;
  readonly used: number;
  readonly createdAt: string;
  readonly revokedAt?: string | undefined;
  readonly revokedBy?: Person | undefined;
}

/** A vote for a grant. */
export type GrantVoteView = Omit<Vote, 'at'> & { readonly at: string };

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

/** The later calls that an approval also permits. The desk validates it again for every caller. */
export const grantRequestSchema: z.ZodType<GrantRequest> = z
  .strictObject({
    match: z.union([
      z.enum(['tool', 'same-arguments']),
      z.strictObject({ args: jsonObjectSchema }),
    ]),
    scope: z.enum(GRANT_SCOPES).optional(),
    expiresAfter: z.number().positive().optional().openapi({ description: 'In milliseconds.' }),
    uses: z.number().int().min(1).optional(),
  })
  .openapi('Remember');

/** Returns a grant without the values that approvers must not see. */
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
    by: grant.by.map((vote) => ({ ...vote, at: isoTime(vote.at) })),
    expiresAt: optionalTime(grant.expiresAt),
    createdAt: isoTime(grant.createdAt),
    revokedAt: optionalTime(grant.revokedAt),
    // Removing values from an object leaves an object.
    match: { kind: match.kind, ...(args !== undefined && { args: args as JsonObject }) },
  };
}
