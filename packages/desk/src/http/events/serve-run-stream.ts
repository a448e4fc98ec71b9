import { createRoute, z } from '@hono/zod-openapi';
import { responses } from '../routes.ts';
import type { DeskApi } from '../scope.ts';
import { RunStreamViews, runStreamSchema } from '../views/run-stream-view.ts';
import { booleanParam, idSchema } from '../views/schemas.ts';
import type { DeskEvents } from './desk-events.ts';
import { EVENT_HEADERS, lastEventIdHeaders } from './event-headers.ts';

/** Serves the streams of runs. */
export function serveRunStream(api: DeskApi, events: DeskEvents): void {
  const { 200: _json, ...problems } = responses({}, 429);
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/runs/{runId}/stream',
      operationId: 'streamRun',
      tags: ['Runs'],
      summary: 'Streams a run as server-sent events',
      description:
        'First the stored messages and the state of the run, and then everything from now on, each once. ' +
        'The stream ends when the run parks, is stuck or ends.',
      request: {
        params: z.strictObject({ runId: idSchema }),
        query: z.strictObject({
          continueWhenParked: booleanParam.openapi({
            description: 'Keeps the stream open while the run is parked or stuck.',
          }),
        }),
        headers: lastEventIdHeaders,
      },
      responses: {
        ...problems,
        200: {
          description: 'A stream: the kind of an event in `event`, and this document in `data`.',
          content: { 'text/event-stream': { schema: runStreamSchema } },
        },
        204: { description: 'The stream has ended, and the client has received all of it.' },
      },
    }),
    async ({ req, var: { scope } }) => {
      const { desk, caller, access, rules } = scope;
      const { runId } = req.valid('param');
      const { continueWhenParked } = req.valid('query');
      const run = await desk.run(runId);
      await access.require('read', { kind: 'run', run });
      // The messages of a run may repeat those of earlier runs.
      await access.requireConversation('read', run.conversationId);
      // A response to `HEAD` has no body that a client could read.
      if (req.raw.method === 'HEAD') return new Response(null, { headers: EVENT_HEADERS });
      const body = await events.openRun({
        desk,
        caller,
        runId,
        continueWhenParked,
        after: req.header('last-event-id') || undefined,
        views: new RunStreamViews(desk, rules.redaction, run.conversationId),
      });
      if (body === undefined) return new Response(null, { status: 204 });
      return new Response(body, { headers: EVENT_HEADERS });
    },
  );
}
