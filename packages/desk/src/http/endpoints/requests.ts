import { createRoute, z } from '@hono/zod-openapi';
import type { JsonObject, JsonValue } from 'holdpoint';
import { isSamePerson } from '../../approvers/same-person.ts';
import type { Page } from '../../model/page.ts';
import type { Person } from '../../model/person.ts';
import type { DeskRequest } from '../../requests/read-request.ts';
import { notFound } from '../../transitions/not-found.ts';
import type { Caller } from '../caller.ts';
import type { DeskEvents } from '../events/desk-events.ts';
import { HttpProblem } from '../http-problem.ts';
import { jsonBody, NO_BODY, responses } from '../routes.ts';
import type { DeskApi, RequestScope } from '../scope.ts';
import { type RequestView, requestView, requestViewSchema } from '../views/request-view.ts';
import {
  definedMembers,
  idSchema,
  jsonObjectSchema,
  jsonSchema,
  nameSchema,
  NO_QUERY,
  pageParams,
  pageSchema,
  personSchema,
} from '../views/schemas.ts';
import { idempotencyHeaders, idempotencyKeyOf, isReplay } from './idempotency.ts';

/** A call to request a decision about. The caller is its owner. */
export interface RequestBody {
  /** The name of a tool that the desk declares. */
  readonly tool: string;
  readonly args: JsonObject;
  /** The JSON Schema of the arguments, if the desk declares none for the tool. */
  readonly schema?: JsonObject | undefined;
  /** The effect of the call, for approvers. */
  readonly preview?: JsonValue | undefined;
  /** The title of the request in lists of runs. Approvers of its hold are shown `preview` and `context`. */
  readonly description?: string | undefined;
  /** Facts for the policy. */
  readonly context?: JsonObject | undefined;
  /** The person on whose behalf the call executes. Only service accounts can name another one than themselves. */
  readonly requester?: Person | undefined;
  /** The time in which it must be decided, in milliseconds. */
  readonly expiresAfter?: number | undefined;
  /** The same as the header `Idempotency-Key`. */
  readonly idempotencyKey?: string | undefined;
}

/** The time to wait for a change of a request. */
export interface RequestWait {
  /** Seconds, at most 60; 0 by default. */
  readonly wait?: number | undefined;
  /** Wait for the decision (by default), or for the end of the request. */
  readonly until?: 'decision' | 'end' | undefined;
}

const requestBody: z.ZodType<RequestBody> = z
  .strictObject({
    tool: nameSchema,
    args: jsonObjectSchema,
    schema: jsonObjectSchema.optional(),
    preview: jsonSchema.optional(),
    description: z.string().max(2_000).optional(),
    context: jsonObjectSchema.optional(),
    requester: personSchema.optional(),
    expiresAfter: z.int().min(1).optional(),
    idempotencyKey: nameSchema.optional(),
  })
  .openapi('CreateRequest');

const params = z.strictObject({ requestId: idSchema });
const tags = ['Requests'];

/** Serves requests from outside: create, read, list and cancel. */
export function serveRequests(api: DeskApi, events: DeskEvents): void {
  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/requests',
      operationId: 'createRequest',
      tags,
      summary: 'Requests a decision about a call of another program',
      description:
        'Approvers decide it like any hold. After the approval, claim the call to execute it. A repeated request with the same idempotency key returns the same request.',
      request: { query: NO_QUERY, headers: idempotencyHeaders, body: jsonBody(requestBody) },
      responses: responses(
        {
          200: ['An earlier request with the same idempotency key.', requestViewSchema],
          201: ['The request was created. `Location` is its address.', requestViewSchema],
        },
        413,
        415,
        422,
      ),
    }),
    async (context) => {
      const { scope } = context.var;
      const { desk, caller, access } = scope;
      const { tool, args, ...body } = context.req.valid('json');
      const key = context.req.valid('header')['Idempotency-Key'];
      const idempotencyKey = idempotencyKeyOf(key, body.idempotencyKey);
      await access.require('request', { kind: 'tool', tool });
      const requester = requesterOf(caller, body.requester);
      const status = (await isReplay(scope, idempotencyKey)) ? 200 : 201;
      const options = { ...body, by: caller.person, requester, idempotencyKey };
      const request = await desk.request(tool, args, definedMembers(options));
      // Relative to `/v1/requests`: a proxy may have removed the beginning of the path.
      const headers = { location: `requests/${request.id}` };
      return Response.json(requestView(request, caller), { status, headers });
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/requests',
      operationId: 'listRequests',
      tags,
      summary: 'Lists the requests of the caller, the latest first',
      request: { query: z.strictObject(pageParams) },
      responses: responses({ 200: ['A page of requests.', pageSchema(requestViewSchema)] }),
    }),
    async (context) => {
      const { desk, caller } = context.var.scope;
      const query = definedMembers(context.req.valid('query'));
      const { items, ...page } = await desk.requests.list({ ...query, by: caller.person });
      const views = items.map((request) => requestView(request, caller));
      return Response.json({ items: views, ...page } satisfies Page<RequestView>);
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/requests/{requestId}',
      operationId: 'getRequest',
      tags,
      summary: 'Returns a request, or waits for its decision',
      request: {
        params,
        query: z.strictObject({
          wait: z.coerce.number().min(0).max(60).optional().openapi({
            description: 'Seconds to wait until the request has a decision; 0 by default.',
          }),
          until: z.enum(['decision', 'end']).optional().openapi({
            description: '`end`: wait until the request has ended, not only for its decision.',
          }),
        }),
      },
      responses: responses({ 200: ['The request, as it is now.', requestViewSchema] }, 429),
    }),
    async (context) => {
      const { scope } = context.var;
      const { requestId } = context.req.valid('param');
      const { wait = 0, until } = context.req.valid('query');
      const request = await readableRequest(scope, requestId);
      if (wait === 0) return Response.json(requestView(request, scope.caller));
      const waiting = events.openWait(scope.caller, context.req.raw.signal, wait * 1_000);
      try {
        const { signal } = waiting;
        const changed = await scope.desk.requests.waitFor(requestId, { until, signal });
        return Response.json(requestView(changed, scope.caller));
      } catch (error) {
        if (!waiting.signal.aborted) throw error;
        // The time has passed without a change of the request.
        const now = await scope.desk.requests.get(requestId);
        return Response.json(requestView(now, scope.caller));
      } finally {
        waiting.end();
      }
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/requests/{requestId}/cancel',
      operationId: 'cancelRequest',
      tags,
      summary: 'Cancels a request whose call was not claimed',
      request: { params, query: NO_QUERY, body: NO_BODY },
      responses: responses({ 200: ['The cancelled request.', requestViewSchema] }, 409),
    }),
    async (context) => {
      const { desk, caller } = context.var.scope;
      const { requestId } = context.req.valid('param');
      const request = await desk.requests.cancel(requestId, { by: caller.person });
      return Response.json(requestView(request, caller));
    },
  );
}

/** Reads a request that the caller owns or may read. */
async function readableRequest(
  { desk, caller, access }: RequestScope,
  requestId: string,
): Promise<DeskRequest> {
  const request = await desk.requests.get(requestId);
  if (isSamePerson(request.owner, caller.person)) return request;
  const run = await desk.run(requestId);
  if (await access.may('read', { kind: 'run', run })) return request;
  throw notFound('request', requestId);
}

/** A person acts for themselves. Only a program with a service account knows who its user is. */
function requesterOf({ person, account }: Caller, requester: Person | undefined): Person {
  if (requester === undefined || account !== undefined) return requester ?? person;
  if (isSamePerson(requester, person)) return person;
  throw new HttpProblem({
    status: 403,
    code: 'forbidden',
    message:
      'You cannot request a call on behalf of another person. Nothing was written. Leave `requester` out, or use the key of a service account.',
  });
}
