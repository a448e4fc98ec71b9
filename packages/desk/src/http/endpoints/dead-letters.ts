import { createRoute, z } from '@hono/zod-openapi';
import type { Page } from '../../model/page.ts';
import { type DeadLetter, TASK_KINDS, type TaskKind } from '../../model/task-row.ts';
import { jsonBody, responses } from '../routes.ts';
import type { DeskApi } from '../scope.ts';
import {
  isoTime,
  nameSchema,
  NO_QUERY,
  pageParams,
  pageSchema,
  timeSchema,
} from '../views/schemas.ts';

/** A task that was given up after too many attempts. */
export type DeadLetterView = Omit<DeadLetter, 'givenUpAt'> & { readonly givenUpAt: string };

/** The name of a dead letter. */
export interface DeadLetterName {
  readonly kind: TaskKind;
  readonly id: string;
}

const kind = z.enum(TASK_KINDS);
const deadLetterSchema: z.ZodType<DeadLetterView> = z
  .strictObject({
    kind,
    id: z.string(),
    queue: z.string().optional(),
    attempts: z.number(),
    problem: z.string().optional(),
    givenUpAt: timeSchema,
  })
  .openapi('DeadLetter');
const nameBody: z.ZodType<DeadLetterName> = z
  .strictObject({ kind, id: nameSchema })
  .openapi('DeadLetterName');
const tags = ['Dead letters'];

/** Serves the dead letters to administrators. */
export function serveDeadLetters(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/dead-letters',
      operationId: 'listDeadLetters',
      tags,
      summary: 'Lists tasks that were given up, the oldest first',
      description: 'Only administrators may.',
      request: { query: z.strictObject(pageParams) },
      responses: responses({ 200: ['A page of dead letters.', pageSchema(deadLetterSchema)] }),
    }),
    async (context) => {
      const { desk, access } = context.var.scope;
      await access.requireAdministrator();
      const { items, next } = await desk.deadLetters(context.req.valid('query'));
      const views = items.map((item) => ({ ...item, givenUpAt: isoTime(item.givenUpAt) }));
      return Response.json({ items: views, next } satisfies Page<DeadLetterView>);
    },
  );

  for (const action of ['replay', 'discard'] as const) {
    api.openapi(
      createRoute({
        method: 'post',
        path: `/v1/dead-letters/${action}`,
        operationId: `${action}DeadLetter`,
        tags,
        summary:
          action === 'replay'
            ? 'Makes a task due again, with all of its attempts'
            : 'Deletes a notification or a webhook',
        description: 'Only administrators may.',
        request: { query: NO_QUERY, body: jsonBody(nameBody) },
        responses: responses({ 200: ['Done.', z.strictObject({})] }, 409, 413, 415, 422),
      }),
      async (context) => {
        const { desk, caller, access } = context.var.scope;
        await access.requireAdministrator();
        const name = context.req.valid('json');
        const by = { by: caller.person };
        if (action === 'replay') await desk.replayDeadLetter(name, by);
        else await desk.discardDeadLetter(name, by);
        return Response.json({});
      },
    );
  }
}
