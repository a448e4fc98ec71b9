import { Agent, tool } from 'holdpoint';
import { z } from 'zod';
import { model } from './model.ts';

const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  inputSchema: z.object({ order: z.string(), euros: z.number().positive() }),
  // Refunds above 50 euros need approval.
  requiresApproval: ({ euros }) => euros > 50,
  preview: ({ order, euros }) => `Refund €${euros} for order ${order}`,
  execute({ order, euros }, { idempotencyKey }) {
    // Call your payment provider here, and pass the key, so that a repeated request has no effect.
    console.log(`Paid €${euros} for order ${order} (key ${idempotencyKey}).`);
    return `Refunded €${euros} for order ${order}.`;
  },
});

export const agent = new Agent({
  name: 'support',
  model,
  instructions: 'You help customers of a shop. Be brief.',
  tools: [refund],
});
