import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import type { JsonValue } from 'holdpoint';
import { type CallbackAddress, createCallback } from '../../desk/callbacks.ts';
import type { Desk } from '../../desk/desk.ts';
import { contextOf } from '../../desk/desk-reader.ts';
import type { CallbackResult } from '../../links/callback.ts';
import { requireMayDecide } from '../access.ts';
import { readBody } from '../json-body.ts';
import type { RateLimits } from '../rate-limits.ts';
import { jsonBody, responses } from '../routes.ts';
import type { DeskApi, DeskEnv } from '../scope.ts';
import { idSchema, isoTime, jsonSchema, NO_QUERY, timeSchema } from '../views/schemas.ts';

/** The result of an external call, or why it failed. */
export type CallbackBody = { readonly value: JsonValue } | { readonly error: string };

const bodySchema: z.ZodType<CallbackBody> = z
  .union([z.strictObject({ value: jsonSchema }), z.strictObject({ error: z.string().max(10_000) })])
  .openapi('CallbackResult');

/** A callback address to create. */
export interface NewCallbackBody {
  /** The time until the address expires, in milliseconds; a day by default, and at most 30 days. */
  readonly expiresAfter?: number | undefined;
}

/** A callback address to create for a claimed request. */
export interface NewClaimCallbackBody extends NewCallbackBody {
  /** The token of the claim. */
  readonly token: string;
}

/** A callback address. It is a secret, which the desk returns once. */
export interface CallbackAddressView {
  readonly url: string;
  readonly expiresAt: string;
}

const MAX_EXPIRY_MS = 30 * 24 * 60 * 60_000;
const expiresAfter = z.int().min(1).max(MAX_EXPIRY_MS).optional();
const addressSchema: z.ZodType<CallbackAddressView> = z
  .strictObject({
    url: z.string().openapi({ description: 'The secret address. It cannot be read again.' }),
    expiresAt: timeSchema,
  })
  .openapi('CallbackAddress');

/** Serves the creation of callback addresses. They have the rights of the caller, and no more. */
export function serveNewCallbacks(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/holds/{holdId}/callback',
      operationId: 'createHoldCallback',
      tags: ['Holds'],
      summary:
        'Creates an address at which a program supplies the result of an external call, once',
      description:
        'The result counts as that of the caller, whom the policy must permit to supply it now and then.',
      request: {
        params: z.strictObject({ holdId: idSchema }),
        query: NO_QUERY,
        body: jsonBody<NewCallbackBody>(
          z.strictObject({ expiresAfter }).openapi('NewHoldCallback'),
        ),
      },
      responses: responses({ 201: ['The address.', addressSchema] }, 409, 422),
    }),
    async (context) => {
      const { desk, access, caller } = context.var.scope;
      const hold = await desk.hold(context.req.valid('param').holdId);
      await access.require('read', { kind: 'hold', hold });
      await requireMayDecide(desk, caller, hold);
      const { person, roles } = caller;
      const options = { ...context.req.valid('json'), for: person, roles, by: person };
      const address = await createCallback(contextOf(desk), desk.tenant, hold.id, options);
      return Response.json(addressView(address), { status: 201 });
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/requests/{requestId}/callback',
      operationId: 'createRequestCallback',
      tags: ['Requests'],
      summary: 'Creates an address at which another program settles the claimed call, once',
      description: 'The claim must have its lease when the result arrives.',
      request: {
        params: z.strictObject({ requestId: idSchema }),
        query: NO_QUERY,
        body: jsonBody<NewClaimCallbackBody>(
          z
            .strictObject({ token: z.string().min(16).max(200), expiresAfter })
            .openapi('NewRequestCallback'),
        ),
      },
      responses: responses({ 201: ['The address.', addressSchema] }, 409),
    }),
    async (context) => {
      const { desk, caller } = context.var.scope;
      const { requestId } = context.req.valid('param');
      const options = { ...context.req.valid('json'), by: caller.person };
      const address = await desk.requests.createCallback(requestId, options);
      return Response.json(addressView(address), { status: 201 });
    },
  );
}

function addressView({ url, expiresAt }: CallbackAddress): CallbackAddressView {
  return { url, expiresAt: isoTime(expiresAt) };
}

/** Serves callback addresses. The token in the address is the only credential, and it works once. */
export function serveCallbacks(
  api: OpenAPIHono<DeskEnv>,
  desk: Desk,
  { rateLimits, maxBytes }: { readonly rateLimits: RateLimits; readonly maxBytes: number },
): void {
  api.use('/v1/callbacks/*', async ({ req }, next) => {
    rateLimits.countLink(req.raw);
    await next();
  });
  api.use('/v1/callbacks/*', readBody(maxBytes));
  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/callbacks/{token}',
      operationId: 'useCallback',
      tags: ['Holds'],
      summary: 'Supplies the result of an external call or of a claimed request, once',
      security: [],
      request: {
        params: z.strictObject({ token: z.string().min(1).max(200) }),
        query: NO_QUERY,
        body: jsonBody(bodySchema),
      },
      responses: responses(
        {
          200: [
            'The result was recorded.',
            z.strictObject({ status: z.literal('recorded') }).openapi('CallbackReceipt'),
          ],
        },
        409,
        410,
        413,
        415,
        422,
      ),
    }),
    async (context) => {
      const { token } = context.req.valid('param');
      await desk.useCallback(token, resultOf(context.req.valid('json')));
      return Response.json({ status: 'recorded' });
    },
  );
}

function resultOf(body: CallbackBody): CallbackResult {
  return 'error' in body
    ? { kind: 'fail', message: body.error }
    : { kind: 'result', value: body.value };
}
