import { createRoute, z } from '@hono/zod-openapi';
import type { Settlement } from '../../requests/settle-request.ts';
import { jsonBody, responses } from '../routes.ts';
import type { DeskApi } from '../scope.ts';
import {
  requestClaimSchema,
  requestClaimView,
  requestView,
  requestViewSchema,
  settlementSchema,
} from '../views/request-view.ts';
import { idSchema, isoTime, NO_QUERY, timeSchema } from '../views/schemas.ts';

/** A claim to make. */
export interface ClaimBody {
  /** The duration of the lease, in milliseconds; a minute by default. */
  readonly lease?: number | undefined;
  /** A random text as the token. The same token returns the same claim, so the request can be repeated. */
  readonly token?: string | undefined;
}

/** A claim to extend. */
export interface HeartbeatBody {
  readonly token: string;
  /** The duration of the lease from now on, in milliseconds; a minute by default. */
  readonly lease?: number | undefined;
}

/** A claim to release. */
export interface ReleaseBody {
  readonly token: string;
}

/** How a claimed call ended. */
export interface SettleBody {
  readonly token: string;
  readonly outcome: Settlement;
}

/** The extended lease of a claim. */
export interface LeaseView {
  readonly leaseUntil: string;
}

const token = z.string().min(16).max(200);
const lease = z.int().min(1).optional();
const params = z.strictObject({ requestId: idSchema });
const tags = ['Requests'];

/** Serves the claims of approved requests. Only the owner of a request can claim it. */
export function serveRequestClaims(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/requests/{requestId}/claim',
      operationId: 'claimRequest',
      tags,
      summary: 'Claims the call of an approved request, once',
      description:
        'Execute the call only with this claim, extend the lease while it executes, and settle it. After the lease the call is in doubt.',
      request: {
        params,
        query: NO_QUERY,
        body: jsonBody<ClaimBody>(
          z.strictObject({ lease, token: token.optional() }).openapi('ClaimRequest'),
        ),
      },
      responses: responses({ 200: ['The claim.', requestClaimSchema] }, 409),
    }),
    async (context) => {
      const { desk, caller } = context.var.scope;
      const { requestId } = context.req.valid('param');
      const options = { ...context.req.valid('json'), by: caller.person };
      const claim = await desk.requests.claim(requestId, options);
      return Response.json(requestClaimView(claim));
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/requests/{requestId}/heartbeat',
      operationId: 'extendRequestClaim',
      tags,
      summary: 'Extends the lease of a claim',
      request: {
        params,
        query: NO_QUERY,
        body: jsonBody<HeartbeatBody>(
          z.strictObject({ token, lease }).openapi('ExtendRequestClaim'),
        ),
      },
      responses: responses(
        {
          200: ['The new end.', z.strictObject({ leaseUntil: timeSchema }).openapi('RequestLease')],
        },
        409,
      ),
    }),
    async (context) => {
      const { desk, caller } = context.var.scope;
      const { requestId } = context.req.valid('param');
      const options = { ...context.req.valid('json'), by: caller.person };
      const until = await desk.requests.heartbeat(requestId, options);
      return Response.json({ leaseUntil: isoTime(until) } satisfies LeaseView);
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/requests/{requestId}/release',
      operationId: 'releaseRequestClaim',
      tags,
      summary: 'Releases a claim whose call has not started',
      request: {
        params,
        query: NO_QUERY,
        body: jsonBody<ReleaseBody>(z.strictObject({ token }).openapi('ReleaseRequestClaim')),
      },
      responses: responses({ 200: ['The request.', requestViewSchema] }, 409),
    }),
    async (context) => {
      const { desk, caller } = context.var.scope;
      const { requestId } = context.req.valid('param');
      const options = { ...context.req.valid('json'), by: caller.person };
      const request = await desk.requests.release(requestId, options);
      return Response.json(requestView(request, caller));
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/requests/{requestId}/settle',
      operationId: 'settleRequest',
      tags,
      summary: 'Records how the claimed call ended',
      description: 'A repeated settlement with the same outcome has no further effect.',
      request: {
        params,
        query: NO_QUERY,
        body: jsonBody<SettleBody>(
          z.strictObject({ token, outcome: settlementSchema }).openapi('SettleRequest'),
        ),
      },
      responses: responses({ 200: ['The request.', requestViewSchema] }, 409, 413),
    }),
    async (context) => {
      const { desk, caller } = context.var.scope;
      const { requestId } = context.req.valid('param');
      const { token: given, outcome } = context.req.valid('json');
      const options = { by: caller.person, token: given };
      const request = await desk.requests.settle(requestId, outcome, options);
      return Response.json(requestView(request, caller));
    },
  );
}
