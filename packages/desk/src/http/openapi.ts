import { type RouteConfig, z } from '@hono/zod-openapi';
import { ENDPOINTS } from './endpoints/index.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import { eventSchema } from './views/event-view.ts';
import { jsonSchema } from './views/json-schema.ts';

const refusalSchema = z
  .strictObject({
    error: z.looseObject({
      code: z.string().openapi({ description: 'For programs. It stays what it is.' }),
      message: z.string().openapi({ description: 'For people.' }),
    }),
  })
  .openapi('Refusal');

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request is not as it must be; the places of mistakes are in `problems`.',
  401: 'Nobody knows who asks.',
  403: 'Whoever asks may not do this.',
  404: 'There is no such thing for whoever asks.',
  409: 'It does not go with what is there: somebody was faster, or it was about something else.',
  410: 'The hold has expired, was superseded or was cancelled.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'It is well-formed, and cannot be done.',
  429: 'Too many event streams are open.',
  500: 'Something went wrong.',
  503: 'Come again in a moment.',
};

/** Where the document is. */
export const OPENAPI_PATH = '/openapi.json';
/** Where events are. */
export const EVENTS_PATH = '/events';

/** Says in the OpenAPI document what there is. */
export function describeApi(registry: { registerPath(route: RouteConfig): unknown }): void {
  for (const endpoint of ENDPOINTS) registry.registerPath(routeOf(endpoint));
  registry.registerPath({
    method: 'get',
    path: EVENTS_PATH,
    operationId: 'streamEvents',
    summary:
      'What happens, as server-sent events, at least once each. Open it first, and then look at what there is.',
    request: { headers: z.object({ 'Last-Event-ID': z.string().optional() }) },
    responses: {
      200: {
        description: 'Events: the kind in `event`, and this in `data`.',
        content: { 'text/event-stream': { schema: eventSchema } },
      },
      ...refusals([400, 401, 403, 429, 500, 503]),
    },
  });
  for (const [path, operationId, summary] of HEALTH) {
    registry.registerPath({
      method: 'get',
      path,
      operationId,
      summary,
      security: [],
      responses: { 200: jsonContent('It does.', healthSchema) },
    });
  }
  registry.registerPath({
    method: 'get',
    path: OPENAPI_PATH,
    operationId: 'getOpenapi',
    summary: 'This document.',
    responses: { 200: jsonContent('The document.', jsonSchema), ...refusals([401, 403, 500]) },
  });
}

const healthSchema = z.strictObject({ status: z.enum(['ok', 'unavailable']) });

const HEALTH = [
  ['/livez', 'getLiveness', 'Says that the process responds. Needs no credentials.'],
  [
    '/readyz',
    'getReadiness',
    'Says that the store responds, too; 503 if not. Needs no credentials.',
  ],
] as const;

function routeOf(endpoint: Endpoint): RouteConfig {
  const { method, path, name, summary, params, query, body, status, result } = endpoint;
  const always = [400, 401, 403, 404, 500, 503, ...(body ? [413, 415] : [])];
  return {
    method,
    path,
    operationId: name,
    summary,
    request: {
      // Parameters are objects.
      ...(params && { params: params as z.ZodObject }),
      ...(query && { query: query as z.ZodObject }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
    },
    responses: {
      [status]: jsonContent('Done.', result),
      ...refusals([...always, ...(endpoint.refusals ?? [])]),
    },
  };
}

function refusals(statuses: readonly number[]): RouteConfig['responses'] {
  return Object.fromEntries(
    statuses.map((status) => [status, jsonContent(REFUSALS[status] ?? '', refusalSchema)]),
  );
}

function jsonContent(description: string, schema: z.ZodType): RouteConfig['responses'][number] {
  return { description, content: { 'application/json': { schema } } };
}
