import { createRoute, z } from '@hono/zod-openapi';
import { messageCodec } from 'holdpoint';
import { notFound } from '../../transitions/not-found.ts';
import { jsonBody, responses } from '../routes.ts';
import type { DeskApi } from '../scope.ts';
import { type MessagePage, messagePageSchema, messageViews } from '../views/history-view.ts';
import { runSummarySchema } from '../views/run-view.ts';
import { nameSchema, NO_QUERY, pageParams } from '../views/schemas.ts';
import { idempotencyHeaders, idempotencyKeyOf, isReplay } from './idempotency.ts';
import { numberCursor } from './number-cursor.ts';
import { summaryOf } from './runs.ts';

/** A message for a conversation. The caller is its requester. */
export interface MessageBody {
  readonly prompt: string;
  /** The treatment of open holds: reject the message (the default), or supersede the holds. */
  readonly onOpenHolds?: 'reject' | 'supersede' | undefined;
  /** The same as the header `Idempotency-Key`. */
  readonly idempotencyKey?: string | undefined;
}

const messageBody: z.ZodType<MessageBody> = z
  .strictObject({
    prompt: z.string().min(1),
    onOpenHolds: z.enum(['reject', 'supersede']).optional(),
    idempotencyKey: nameSchema.optional(),
  })
  .openapi('SendMessage');

// Applications may choose the ids of conversations.
const params = z.strictObject({ conversationId: nameSchema });
const tags = ['Conversations'];

/** Serves the messages of conversations. */
export function serveConversations(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/conversations/{conversationId}/messages',
      operationId: 'sendMessage',
      tags,
      summary: 'Sends a message to a conversation',
      description: 'Returns the run whose model receives the message.',
      request: {
        params,
        query: NO_QUERY,
        headers: idempotencyHeaders,
        body: jsonBody(messageBody),
      },
      responses: responses(
        {
          200: ['An earlier request with the same idempotency key was accepted.', runSummarySchema],
          202: [
            'The message was accepted. `Location` is the address of the run.',
            runSummarySchema,
          ],
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
      const { conversationId } = context.req.valid('param');
      const { prompt, onOpenHolds, ...body } = context.req.valid('json');
      const key = context.req.valid('header')['Idempotency-Key'];
      const idempotencyKey = idempotencyKeyOf(key, body.idempotencyKey);
      await access.requireConversation('message', conversationId);
      const status = (await isReplay(scope, idempotencyKey)) ? 200 : 202;
      const options = { requester: caller.person, onOpenHolds, idempotencyKey };
      const runId = await desk.message(conversationId, prompt, options);
      const view = await summaryOf(scope, await desk.run(runId));
      return Response.json(view, { status, headers: { location: `../../runs/${runId}` } });
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/conversations/{conversationId}/messages',
      operationId: 'listMessages',
      tags,
      summary: 'Lists the messages of a conversation, the oldest first',
      request: { params, query: z.strictObject(pageParams) },
      responses: responses({ 200: ['A page of messages.', messagePageSchema] }),
    }),
    async (context) => {
      const { desk, rules, secrets, access } = context.var.scope;
      const { conversationId } = context.req.valid('param');
      const { after, limit = 50 } = context.req.valid('query');
      const start = numberCursor.read(after);
      const { items: runs } = await desk.runs({ conversationId, limit: 1 });
      if (runs.length === 0) throw notFound('conversation', conversationId);
      await access.requireConversation('read', conversationId);
      const messages = await desk.history(conversationId);
      const end = start + limit;
      const shown = messages.slice(start, end);
      const page: MessagePage = {
        items: messageViews(shown, rules.redaction, await secrets.of(conversationId)),
        next: messages.length > end ? numberCursor.write(end) : undefined,
        version: messageCodec.version,
      };
      return Response.json(page);
    },
  );
}
