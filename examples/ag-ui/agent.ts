// A support agent: refunds need approval, and the page supplies the time zone.
import { Agent, MemoryLedger, type Model, tool } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

/** The refunds that were executed. */
export const refunds: { order: string; euros: number }[] = [];

const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  inputSchema: z.object({ order: z.string(), euros: z.number() }),
  requiresApproval: true,
  preview: ({ order, euros }) => `Refund ${euros} euros for order ${order}`,
  execute({ order, euros }) {
    refunds.push({ order, euros });
    return `${euros} euros refunded`;
  },
});

const script: Model = scriptedModel(
  responds(
    says('I refund both orders.'),
    calls('refund', { order: 'A1', euros: 400 }),
    calls('refund', { order: 'B2', euros: 90 }),
    calls('get_time_zone', {}),
  ),
  says('Order A1 is refunded. You are in Europe/Paris.'),
);

export const support = new Agent({
  name: 'support',
  model: process.env['HOLDPOINT_MODEL'] || script,
  instructions: 'You help customers of a shop.',
  tools: [refund],
  durability: { ledger: new MemoryLedger() },
});
