import { createRoute, z } from '@hono/zod-openapi';
import type { ErasureReport, PersonErasureReport } from '../../retention/erase.ts';
import type { ExportedRecord } from '../../retention/export.ts';
import { jsonBody, responses } from '../routes.ts';
import type { DeskApi } from '../scope.ts';
import { nameSchema, NO_QUERY } from '../views/schemas.ts';

/** An erasure of a conversation. */
export interface EraseConversationBody {
  /** The reason, which the audit stores. */
  readonly reason: string;
}

/** An erasure of a person. */
export interface ErasePersonBody extends EraseConversationBody {
  /** The id of the person. */
  readonly person: string;
}

const reason = z.string().min(1).max(500);
const eraseConversationBody: z.ZodType<EraseConversationBody> = z
  .strictObject({ reason })
  .openapi('EraseConversation');
const erasePersonBody: z.ZodType<ErasePersonBody> = z
  .strictObject({ person: nameSchema, reason })
  .openapi('ErasePerson');
const erasureSchema: z.ZodType<ErasureReport> = z
  .strictObject({ runs: z.number() })
  .openapi('Erasure');
const personErasureSchema: z.ZodType<PersonErasureReport> = z
  .strictObject({
    conversations: z.number(),
    runs: z.number(),
    auditEntries: z.number(),
    tokens: z.number(),
    pendingRuns: z.array(z.string()),
  })
  .openapi('PersonErasure');

const params = z.strictObject({ conversationId: nameSchema });
const tags = ['Data'];
const exported: ReturnType<typeof responses> = {
  ...responses({}),
  200: {
    description: 'One line of JSON for each stored row.',
    content: { 'application/jsonl': { schema: z.string() } },
  },
};

/** Serves the erasure and the export of data to administrators. */
export function serveErasure(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/conversations/{conversationId}/erase',
      operationId: 'eraseConversation',
      tags,
      summary: 'Erases a conversation',
      description: 'Only administrators may. The audit stays, and records the erasure.',
      request: { params, query: NO_QUERY, body: jsonBody(eraseConversationBody) },
      responses: responses({ 200: ['The result.', erasureSchema] }, 409, 413, 415),
    }),
    async (context) => {
      const { desk, caller, access } = context.var.scope;
      await access.requireAdministrator();
      const { conversationId } = context.req.valid('param');
      const options = { by: caller.person, reason: context.req.valid('json').reason };
      return Response.json(await desk.eraseConversation(conversationId, options));
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/people/erase',
      operationId: 'erasePerson',
      tags,
      summary: 'Erases the data of a person',
      description:
        'Only administrators may. Runs in `pendingRuns` are live and still name the person: repeat the request later.',
      request: { query: NO_QUERY, body: jsonBody(erasePersonBody) },
      responses: responses({ 200: ['The result.', personErasureSchema] }, 409, 413, 415),
    }),
    async (context) => {
      const { desk, caller, access } = context.var.scope;
      await access.requireAdministrator();
      const { person, reason: why } = context.req.valid('json');
      return Response.json(await desk.erasePerson(person, { by: caller.person, reason: why }));
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/conversations/{conversationId}/export',
      operationId: 'exportConversation',
      tags,
      summary: 'Exports a conversation as JSON lines',
      description: 'Only administrators may. Values that approvers must not see are included.',
      request: { params, query: NO_QUERY },
      responses: exported,
    }),
    async (context) => {
      const { desk, access } = context.var.scope;
      await access.requireAdministrator();
      return jsonLines(desk.exportConversation(context.req.valid('param').conversationId));
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/people/export',
      operationId: 'exportPerson',
      tags,
      summary: 'Exports the data of a person as JSON lines',
      description: 'Only administrators may. Values that approvers must not see are included.',
      request: { query: z.strictObject({ person: nameSchema }) },
      responses: exported,
    }),
    async (context) => {
      const { desk, access } = context.var.scope;
      await access.requireAdministrator();
      return jsonLines(desk.exportPerson(context.req.valid('query').person));
    },
  );
}

/** Streams records as lines. The first record is read before the response starts, so that errors have a status. */
async function jsonLines(records: AsyncGenerator<ExportedRecord>): Promise<Response> {
  let next = await records.next();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (next.done) return controller.close();
      controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`));
      next = await records.next();
    },
    async cancel() {
      await records.return(undefined);
    },
  });
  return new Response(body, { headers: { 'content-type': 'application/jsonl' } });
}
