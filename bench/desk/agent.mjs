import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

/** The agent name of the runs. */
export const AGENT = 'clerk';

const refund = tool({
  name: 'refund',
  description: 'Gives money back.',
  inputSchema: z.object({ order: z.string(), euros: z.number() }),
  requiresApproval: true,
  preview: ({ order, euros }) => `${euros} euros for order ${order}`,
  execute: ({ order, euros }) => `${euros} euros were given back for order ${order}.`,
});

/** Asks for one call that has to be approved, and ends when it has its result; it goes by the history alone. */
export const agent = new Agent({
  name: AGENT,
  model: functionModel(({ messages }) => {
    const last = messages.at(-1)?.parts.at(-1);
    return last?.kind === 'user-prompt'
      ? calls('refund', { order: String(last.content), euros: 40 })
      : says('Done.');
  }),
  tools: [refund],
  output: [String, DeferredToolRequests],
});
