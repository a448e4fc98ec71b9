import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import type { JsonValue } from 'holdpoint';
import type { Desk } from '../../desk/desk.ts';
import type { CallbackResult } from '../../links/callback.ts';
import { readBody } from '../json-body.ts';
import type { RateLimits } from '../rate-limits.ts';
import { jsonBody, responses } from '../routes.ts';
import type { DeskEnv } from '../scope.ts';
import { jsonSchema, NO_QUERY } from '../views/schemas.ts';

/** The result of an external call, or why it failed. */
export type CallbackBody = { readonly value: JsonValue } | { readonly error: string };

const bodySchema: z.ZodType<CallbackBody> = z
  .union([z.strictObject({ value: jsonSchema }), z.strictObject({ error: z.string().max(10_000) })])
  .openapi('CallbackResult');

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
      summary: 'Supplies the result of an external call, once',
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
