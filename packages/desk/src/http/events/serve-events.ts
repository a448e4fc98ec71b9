import { createRoute } from '@hono/zod-openapi';
import { responses } from '../routes.ts';
import type { DeskApi } from '../scope.ts';
import { eventSchema } from '../views/event-view.ts';
import { NO_QUERY } from '../views/schemas.ts';
import type { DeskEvents } from './desk-events.ts';
import { EVENT_HEADERS, lastEventIdHeaders } from './event-headers.ts';
import { mayReadEvents } from './may-read-events.ts';

/** Serves the events of the caller's tenant. */
export function serveEvents(api: DeskApi, events: DeskEvents): void {
  const { 200: _json, ...problems } = responses({}, 429);
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/events',
      operationId: 'streamEvents',
      tags: ['Events'],
      summary: 'Streams events as server-sent events',
      description:
        'Each event is delivered at least once. Open the stream first, and then read the current state.',
      request: {
        query: NO_QUERY,
        headers: lastEventIdHeaders,
      },
      responses: {
        ...problems,
        200: {
          description: 'A stream: the kind of an event in `event`, and this document in `data`.',
          content: { 'text/event-stream': { schema: eventSchema } },
        },
      },
    }),
    async ({ req, var: { scope } }) => {
      // A response to `HEAD` has no body that a client could read.
      if (req.raw.method === 'HEAD') return new Response(null, { headers: EVENT_HEADERS });
      const { desk, caller, access, rules } = scope;
      const mayRead = rules.authorizeAction && mayReadEvents(desk, access);
      const body = await events.open({ desk, caller, mayRead }, req.header('last-event-id'));
      return new Response(body, { headers: EVENT_HEADERS });
    },
  );
}
