// The agent counts words. This takes long, so a worker does it.
import type { DatabaseSync } from 'node:sqlite';
import { Agent, CallDeferred, DeferredToolRequests, type ToolContext, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';
import { addJob } from './jobs.ts';

export interface Queue {
  readonly database: DatabaseSync;
}

export const output = [String, DeferredToolRequests] as const;

const countWords = tool({
  name: 'count_words',
  description: 'Counts the words of a page. It takes a while.',
  inputSchema: z.object({ page: z.string() }),
  execute({ page }, ctx: ToolContext<Queue>) {
    // The key is the same for every attempt of this call, so the job is queued once.
    const jobId = ctx.idempotencyKey;
    addJob(ctx.deps.database, { id: jobId, page });
    throw new CallDeferred({ jobId }); // a worker supplies the result
  },
});

/** Replaces a model. It depends only on the history, so any process can use it. */
const script = functionModel(({ messages }) => {
  const results = messages.at(-1)?.parts.filter((part) => part.kind === 'tool-return') ?? [];
  if (results.length === 0) {
    return responds(
      calls('count_words', { page: 'home' }),
      calls('count_words', { page: 'about' }),
      calls('count_words', { page: 'missing' }),
    );
  }
  return says(results.map((part) => `${part.outcome}: ${JSON.stringify(part.content)}`).join('\n'));
});

export const editor = new Agent({
  name: 'editor',
  model: process.env['HOLDPOINT_MODEL'] || script,
  tools: [countWords],
  output,
});
