// The agent of the examples in this folder, with a scripted model that depends only on the history.
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

export const refunds: string[] = [];

const refund = tool({
  name: 'refund',
  inputSchema: z.object({ order: z.string() }),
  requiresApproval: true,
  execute({ order }) {
    refunds.push(order);
    return `Order ${order} was refunded.`;
  },
});

const model = functionModel(({ messages }) =>
  messages.some(({ kind }) => kind === 'response')
    ? says('The customer has the money back.')
    : calls('refund', { order: '17' }),
);

export const output = [String, DeferredToolRequests] as const;

export const agent = new Agent({ model, tools: [refund], output });
