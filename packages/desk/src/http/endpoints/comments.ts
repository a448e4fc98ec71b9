import { createRoute, z } from '@hono/zod-openapi';
import { MAX_COMMENT_LENGTH } from '../../desk/check-comment.ts';
import { jsonBody, responses } from '../routes.ts';
import type { DeskApi } from '../scope.ts';
import { commentSchema, type CommentView, commentView } from '../views/comment-view.ts';
import { idSchema, NO_QUERY } from '../views/schemas.ts';

/** A comment of the caller. */
export interface CommentBody {
  /** Plain text. */
  readonly text: string;
}

/** All comments on a hold, the oldest first. */
export interface CommentList {
  readonly items: readonly CommentView[];
}

const bodySchema: z.ZodType<CommentBody> = z
  .strictObject({ text: z.string().min(1).max(MAX_COMMENT_LENGTH) })
  .openapi('CommentOnHold');

const params = z.strictObject({ holdId: idSchema });
const tags = ['Holds'];

/** Serves comments on holds. */
export function serveComments(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/holds/{holdId}/comments',
      operationId: 'listComments',
      tags,
      summary: 'Lists the comments on a hold, the oldest first',
      request: { params, query: NO_QUERY },
      responses: responses({
        200: ['The comments.', z.strictObject({ items: z.array(commentSchema) })],
      }),
    }),
    async (context) => {
      const { desk, access, secrets } = context.var.scope;
      const hold = await desk.hold(context.req.valid('param').holdId);
      await access.require('read', { kind: 'hold', hold });
      const hidden = await secrets.of(hold.conversationId);
      const rows = await desk.comments(hold.id);
      const list: CommentList = { items: rows.map((row) => commentView(row, hidden)) };
      return Response.json(list);
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/holds/{holdId}/comments',
      operationId: 'commentOnHold',
      tags,
      summary: 'Comments on a hold',
      description: 'A comment decides nothing. The model does not see it.',
      request: { params, query: NO_QUERY, body: jsonBody(bodySchema) },
      responses: responses({ 200: ['The comment.', commentSchema] }, 413, 415, 422),
    }),
    async (context) => {
      const { desk, access, caller, secrets } = context.var.scope;
      const hold = await desk.hold(context.req.valid('param').holdId);
      await access.require('comment', { kind: 'hold', hold });
      const { text } = context.req.valid('json');
      const row = await desk.comment(hold.id, text, { by: caller.person });
      return Response.json(commentView(row, await secrets.of(hold.conversationId)));
    },
  );
}
