import { createRoute, z } from '@hono/zod-openapi';
import { type Page, RUN_ORDER } from '../../model/page.ts';
import type { RunRow } from '../../model/run-row.ts';
import { type FilteredList, filteredPage } from '../filtered-page.ts';
import { jsonBody, NO_BODY, responses } from '../routes.ts';
import type { DeskApi, RequestScope } from '../scope.ts';
import {
  type RunSummary,
  runStateSchema,
  runSummary,
  runSummarySchema,
  runView,
  runViewSchema,
} from '../views/run-view.ts';
import {
  definedMembers,
  idPrefixParam,
  idSchema,
  listParam,
  nameSchema,
  NO_QUERY,
  pageParams,
  pageSchema,
} from '../views/schemas.ts';
import { idempotencyHeaders, idempotencyKeyOf, isReplay } from './idempotency.ts';

/** A run to start. The caller is its requester. */
export interface StartBody {
  readonly agent: string;
  readonly prompt: string;
  readonly conversationId?: string | undefined;
  /** The same as the header `Idempotency-Key`. */
  readonly idempotencyKey?: string | undefined;
}

const startBody: z.ZodType<StartBody> = z
  .strictObject({
    agent: nameSchema,
    prompt: z.string().min(1),
    conversationId: nameSchema.optional(),
    idempotencyKey: nameSchema.optional(),
  })
  .openapi('StartRun');

const params = z.strictObject({ runId: idSchema });
const tags = ['Runs'];

/** Serves runs: start, list, read, cancel and retry. */
export function serveRuns(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/runs',
      operationId: 'startRun',
      tags,
      summary: 'Starts a run',
      description:
        'A worker executes it later. A repeated request with the same idempotency key returns the same run.',
      request: { query: NO_QUERY, headers: idempotencyHeaders, body: jsonBody(startBody) },
      responses: responses(
        {
          200: [
            'An earlier request with the same idempotency key started the run.',
            runSummarySchema,
          ],
          201: ['The run was started. `Location` is its address.', runSummarySchema],
        },
        409,
        413,
        415,
        422,
      ),
    }),
    async (context) => {
      const { scope } = context.var;
      const { desk, caller, access } = scope;
      const { agent, prompt, conversationId, ...body } = context.req.valid('json');
      const key = context.req.valid('header')['Idempotency-Key'];
      const idempotencyKey = idempotencyKeyOf(key, body.idempotencyKey);
      await access.require('start', { kind: 'agent', agent });
      // A run of an existing conversation reads all of its messages.
      if (conversationId !== undefined) await access.requireConversation('message', conversationId);
      const status = (await isReplay(scope, idempotencyKey)) ? 200 : 201;
      const options = { requester: caller.person, conversationId, idempotencyKey };
      const runId = await desk.start(agent, prompt, options);
      const view = await summaryOf(scope, await desk.run(runId));
      // Relative to `/v1/runs`: a proxy may have removed the beginning of the path.
      return Response.json(view, { status, headers: { location: `runs/${runId}` } });
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/runs',
      operationId: 'listRuns',
      tags,
      summary: 'Lists runs, the latest first',
      request: {
        query: z.strictObject({
          ...pageParams,
          idPrefix: idPrefixParam,
          states: listParam(runStateSchema),
          agent: nameSchema.optional(),
          conversationId: nameSchema.optional(),
        }),
      },
      responses: responses({ 200: ['A page of runs.', pageSchema(runSummarySchema)] }),
    }),
    async (context) => {
      const { desk, access, secrets } = context.var.scope;
      const query = definedMembers(context.req.valid('query'));
      const runs: FilteredList<RunRow> = {
        order: RUN_ORDER,
        list: (page) => desk.runs({ ...query, ...page }),
        filter: (rows) => access.readable(rows, (run) => ({ kind: 'run', run })),
      };
      const { items, next } = await filteredPage(runs, query);
      await secrets.load(items.map(({ conversationId }) => conversationId));
      const views: RunSummary[] = [];
      for (const run of items) views.push(await summaryOf(context.var.scope, run));
      return Response.json({ items: views, next } satisfies Page<RunSummary>);
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/runs/{runId}',
      operationId: 'getRun',
      tags,
      summary: 'Returns a run with its output or error',
      request: { params, query: NO_QUERY },
      responses: responses({ 200: ['The run.', runViewSchema] }),
    }),
    async (context) => {
      const { desk, access, secrets } = context.var.scope;
      const run = await desk.run(context.req.valid('param').runId);
      await access.require('read', { kind: 'run', run });
      return Response.json(runView(run, await secrets.of(run.conversationId)));
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/runs/{runId}/cancel',
      operationId: 'cancelRun',
      tags,
      summary: 'Cancels a run',
      description: 'No further call of the run starts. A call that is executing finishes.',
      request: { params, query: NO_QUERY, body: NO_BODY },
      responses: responses({ 200: ['The cancelled run.', runSummarySchema] }, 409),
    }),
    async (context) => {
      const { desk, caller, access } = context.var.scope;
      const { runId } = context.req.valid('param');
      await access.requireRun('cancel', runId);
      const run = await desk.cancel(runId, { by: caller.person });
      return Response.json(await summaryOf(context.var.scope, run));
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/runs/{runId}/retry',
      operationId: 'retryRun',
      tags,
      summary: 'Retries a stuck run',
      description: 'Resets its attempts and queues it again.',
      request: { params, query: NO_QUERY, body: NO_BODY },
      responses: responses({ 200: ['The queued run.', runSummarySchema] }, 409),
    }),
    async (context) => {
      const { desk, caller, access } = context.var.scope;
      const { runId } = context.req.valid('param');
      await access.requireRun('retry', runId);
      const run = await desk.retry(runId, { by: caller.person });
      return Response.json(await summaryOf(context.var.scope, run));
    },
  );
}

/** Returns a run for a list, without the values that the caller must not see. */
export async function summaryOf({ secrets }: RequestScope, run: RunRow): Promise<RunSummary> {
  return runSummary(run, await secrets.of(run.conversationId));
}
