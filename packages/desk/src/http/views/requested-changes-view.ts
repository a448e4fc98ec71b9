import { z } from '@hono/zod-openapi';
import type { ModelReply, RequestedChanges } from '../../desk/requested-changes.ts';
import type { Secrets } from '../../redaction/secrets.ts';
import { isoTime, personSchema, timeSchema } from './schemas.ts';

/** Changes that an approver requested in place of an approval, and the reply of the model. */
export interface RequestedChangesView extends Omit<RequestedChanges, 'at'> {
  readonly at: string;
}

export const requestedChangesSchema: z.ZodType<RequestedChangesView> = z
  .strictObject({
    holdId: z.string(),
    message: z.string(),
    by: personSchema,
    onBehalfOf: personSchema.optional(),
    at: timeSchema,
    reply: z.strictObject({ text: z.string().optional(), holdIds: z.array(z.string()) }).optional(),
  })
  .openapi('RequestedChanges');

/**
 * Returns requested changes without the values that approvers must not see. `holdIds` are the holds that the caller may
 * read, and `isReplyShown` is true if they may read the run.
 */
export function requestedChangesView(
  { message, reply, at, ...facts }: RequestedChanges,
  secrets: Secrets,
  {
    isReplyShown,
    holdIds,
  }: { readonly isReplyShown: boolean; readonly holdIds: readonly string[] },
): RequestedChangesView {
  return {
    ...facts,
    message: secrets.takeOutOfText(message),
    at: isoTime(at),
    ...(reply && isReplyShown && { reply: replyView(reply, secrets, holdIds) }),
  };
}

function replyView(
  { text, holdIds }: ModelReply,
  secrets: Secrets,
  readable: readonly string[],
): ModelReply {
  return {
    ...(text !== undefined && { text: secrets.takeOutOfText(text) }),
    holdIds: holdIds.filter((id) => readable.includes(id)),
  };
}
