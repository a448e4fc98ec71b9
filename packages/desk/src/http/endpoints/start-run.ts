import { z } from '@hono/zod-openapi';
import { type RunSummary, runSummary, runSummarySchema } from '../views/run-view.ts';
import type { Endpoint } from './endpoint.ts';
import { nameSchema } from './params.ts';

/** What a run is started with. Whoever asks is its requester. */
export interface StartBody {
  readonly agent: string;
  readonly prompt: string;
  readonly conversationId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

export const startRun: Endpoint<unknown, unknown, StartBody, RunSummary> = {
  method: 'post',
  path: '/runs',
  name: 'startRun',
  summary: 'Starts a run. The same idempotency key gives the same run.',
  body: z
    .strictObject({
      agent: nameSchema,
      prompt: z.string().min(1),
      conversationId: nameSchema.optional(),
      idempotencyKey: nameSchema.optional(),
    })
    .openapi('StartRun'),
  status: 201,
  result: runSummarySchema,
  refusals: [409, 422],
  async handle({ desk, caller, access, body: { agent, prompt, conversationId, idempotencyKey } }) {
    await access.require('start', { kind: 'agent', agent });
    // A run of a known conversation sees all that was said in it.
    if (conversationId !== undefined) await access.requireConversation('message', conversationId);
    const requester = caller.person;
    const options = { requester, conversationId, idempotencyKey };
    return runSummary(await desk.run(await desk.start(agent, prompt, options)));
  },
};
