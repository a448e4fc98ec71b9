import { z } from '@hono/zod-openapi';
import { isSamePerson } from '../../approvers/same-person.ts';
import type { RequestClaim } from '../../requests/claim-request.ts';
import type { Settlement } from '../../requests/settle-request.ts';
import {
  type DeskRequest,
  REQUEST_STATES,
  type RequestDecision,
} from '../../requests/read-request.ts';
import type { Caller } from '../caller.ts';
import {
  isoTime,
  jsonObjectSchema,
  jsonSchema,
  optionalTime,
  personSchema,
  timeSchema,
} from './schemas.ts';

/** A request from outside. Only its owner sees arguments, decision and outcome; others read its hold. */
export interface RequestView
  extends Pick<DeskRequest, 'id' | 'state' | 'holdId' | 'toolName' | 'owner' | 'requester'> {
  readonly args?: DeskRequest['args'] | undefined;
  /** The arguments to execute, with the edits of approvers; set once the call was approved. */
  readonly effectiveArgs?: DeskRequest['effectiveArgs'];
  readonly description?: string | undefined;
  readonly decision?: (Omit<RequestDecision, 'at'> & { readonly at: string }) | undefined;
  readonly outcome?: DeskRequest['outcome'];
  readonly leaseUntil?: string | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt?: string | undefined;
}

/** The right to execute the call of a request, until its lease ends. */
export interface RequestClaimView extends Omit<RequestClaim, 'leaseUntil'> {
  readonly leaseUntil: string;
}

export const settlementSchema: z.ZodType<Settlement> = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('value'), value: jsonSchema }),
    z.strictObject({ kind: z.literal('error'), message: z.string() }),
    z.strictObject({ kind: z.literal('unknown'), reason: z.string() }),
  ])
  .openapi('RequestSettlement');

export const requestViewSchema: z.ZodType<RequestView> = z
  .strictObject({
    id: z.string(),
    state: z.enum(REQUEST_STATES),
    holdId: z.string(),
    toolName: z.string(),
    owner: personSchema,
    requester: personSchema,
    args: jsonObjectSchema.optional(),
    effectiveArgs: jsonObjectSchema.optional(),
    description: z.string().optional(),
    decision: z
      .strictObject({
        kind: z.enum(['approve', 'deny', 'input', 'result', 'retry', 'fail']),
        isEdited: z.boolean(),
        by: personSchema,
        reason: z.string().optional(),
        at: timeSchema,
      })
      .optional(),
    outcome: z
      .discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('value'), value: jsonSchema }),
        z.strictObject({ kind: z.literal('error'), message: z.string() }),
        z.strictObject({ kind: z.literal('denied'), reason: z.string().optional() }),
        z.strictObject({ kind: z.literal('retry'), message: z.string() }),
        z.strictObject({ kind: z.literal('expired') }),
      ])
      .optional(),
    leaseUntil: timeSchema.optional(),
    createdAt: timeSchema,
    updatedAt: timeSchema,
    expiresAt: timeSchema.optional(),
  })
  .openapi('Request');

export const requestClaimSchema: z.ZodType<RequestClaimView> = z
  .strictObject({
    requestId: z.string(),
    toolName: z.string(),
    args: jsonObjectSchema,
    token: z.string(),
    fence: z.number(),
    leaseUntil: timeSchema,
  })
  .openapi('RequestClaim');

/** Returns a request for a caller. */
export function requestView(request: DeskRequest, { person }: Caller): RequestView {
  const { id, state, holdId, toolName, owner, requester } = request;
  const { args, effectiveArgs, description, decision, outcome, leaseUntil } = request;
  const view = {
    id,
    state,
    holdId,
    toolName,
    owner,
    requester,
    createdAt: isoTime(request.createdAt),
    updatedAt: isoTime(request.updatedAt),
    expiresAt: optionalTime(request.expiresAt),
  };
  if (!isSamePerson(owner, person)) return view;
  return {
    ...view,
    args,
    effectiveArgs,
    description,
    decision: decision && { ...decision, at: isoTime(decision.at) },
    outcome,
    leaseUntil: optionalTime(leaseUntil),
  };
}

/** Returns a claim for its executor. */
export function requestClaimView(claim: RequestClaim): RequestClaimView {
  return { ...claim, leaseUntil: isoTime(claim.leaseUntil) };
}
