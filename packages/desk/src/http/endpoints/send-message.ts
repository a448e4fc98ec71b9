import { z } from '@hono/zod-openapi';
import { type RunSummary, runSummary, runSummarySchema } from '../views/run-view.ts';
import type { Endpoint } from './endpoint.ts';
import { type ConversationParams, conversationParams, nameSchema } from './params.ts';

/** What is said in a conversation. */
export interface MessageBody {
  readonly prompt: string;
  /** What becomes of calls that wait: the message is refused unless they are to be superseded. */
  readonly onOpenHolds?: 'refuse' | 'supersede' | undefined;
  readonly idempotencyKey?: string | undefined;
}

export const sendMessage: Endpoint<ConversationParams, unknown, MessageBody, RunSummary> = {
  method: 'post',
  path: '/conversations/{conversationId}/messages',
  name: 'sendMessage',
  summary: 'Says something in a conversation. Gives the run that will hear it.',
  params: conversationParams,
  body: z
    .strictObject({
      prompt: z.string().min(1),
      onOpenHolds: z.enum(['refuse', 'supersede']).optional(),
      idempotencyKey: nameSchema.optional(),
    })
    .openapi('SendMessage'),
  status: 202,
  result: runSummarySchema,
  refusals: [409, 422],
  async handle({ desk, caller, access, params, body: { prompt, onOpenHolds, idempotencyKey } }) {
    await access.requireConversation('message', params.conversationId);
    const requester = caller.person;
    const options = { requester, onOpenHolds, idempotencyKey };
    return runSummary(await desk.run(await desk.message(params.conversationId, prompt, options)));
  },
};
