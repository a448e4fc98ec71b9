import { z } from '@hono/zod-openapi';
import type { ChangesResponse, RequestedChanges } from '../../desk/requested-changes.ts';
import type { Secrets } from '../../redaction/secrets.ts';
import { isoTime, personSchema, timeSchema } from './schemas.ts';

/** Changes that an approver requested in place of an approval, and the response of the model. */
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
    response: z
      .strictObject({ text: z.string().optional(), holdIds: z.array(z.string()) })
      .optional(),
  })
  .openapi('RequestedChanges');

/**
 * Returns requested changes without the values that approvers must not see. `holdIds` are the holds that the caller may
 * read, and `isResponseShown` is true if they may read the run.
 */
export function requestedChangesView(
  { message, response, at, ...facts }: RequestedChanges,
  secrets: Secrets,
  {
    isResponseShown,
    holdIds,
  }: { readonly isResponseShown: boolean; readonly holdIds: readonly string[] },
): RequestedChangesView {
  return {
    ...facts,
    message: secrets.takeOutOfText(message),
    at: isoTime(at),
    ...(response && isResponseShown && { response: responseView(response, secrets, holdIds) }),
  };
}

function responseView(
  { text, holdIds }: ChangesResponse,
  secrets: Secrets,
  readable: readonly string[],
): ChangesResponse {
  return {
    ...(text !== undefined && { text: secrets.takeOutOfText(text) }),
    holdIds: holdIds.filter((id) => readable.includes(id)),
  };
}
