// A support agent: refunds need approval, deliveries need an address, and the page supplies the
// time zone.
import { Agent, ExternalToolset, InputRequired, MemoryLedger, type Message, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

/** The refunds that were paid. */
export const refunds: string[] = [];

/**
 * Prevents a second execution of a call, in one process. Several processes need a ledger in a
 * database.
 */
const ledger = new MemoryLedger();

const refund = tool({
  name: 'refund',
  description: 'Refund an order.',
  inputSchema: z.object({ order: z.string(), euros: z.number().positive() }),
  requiresApproval: true,
  preview: ({ order, euros }) => `Pays ${euros} euros back for order ${order}.`,
  execute({ order, euros }) {
    refunds.push(`${order}: ${euros}`);
    return `${euros} euros refunded`;
  },
});

const deliver = tool({
  name: 'deliver',
  description: 'Deliver an order.',
  inputSchema: z.object({ order: z.string() }),
  execute({ order }, ctx) {
    if (ctx.input === undefined) {
      throw new InputRequired({ message: 'Where to?', schema: { type: 'string', minLength: 3 } });
    }
    return `order ${order} is on its way to ${String(ctx.input)}`;
  },
});

const page = new ExternalToolset([
  {
    name: 'get_time_zone',
    description: 'Returns the time zone of the user.',
    parametersJsonSchema: { type: 'object', properties: {} },
  },
]);

/** Replaces a model. It depends only on the history. */
const script = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind === 'tool-return') return says(`${last.toolName}: ${String(last.content)}.`);
  const prompt = lastPrompt(messages);
  if (prompt.includes('time')) return calls('get_time_zone', {});
  if (prompt.includes('deliver')) return calls('deliver', { order: '17' });
  if (prompt.includes('sofa')) return calls('refund', { order: '18', euros: 400 });
  return calls('refund', { order: '17', euros: 40 });
});

function lastPrompt(messages: readonly Message[]): string {
  const parts = messages.flatMap((message) => (message.kind === 'request' ? message.parts : []));
  const prompt = parts.findLast((part) => part.kind === 'user-prompt');
  return JSON.stringify(prompt?.content);
}

export const support = new Agent({
  name: 'support',
  model: process.env['HOLDPOINT_MODEL'] || script,
  tools: [refund, deliver],
  toolsets: [page],
  durability: { ledger },
});
