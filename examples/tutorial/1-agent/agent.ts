// The support agent of the tutorial. Every step uses it.
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

// #region deps
/** The systems that the tools use. Tests and programs pass their own. */
export interface Shop {
  readonly orders: ReadonlyMap<string, number>;
  pay(order: string, euros: number, idempotencyKey: string): Promise<void>;
}
// #endregion

// #region tools
const lookUp = tool({
  name: 'look_up_order',
  description: 'Returns the price of an order in euros.',
  inputSchema: z.object({ order: z.string() }),
  readOnly: true,
  execute: ({ order }, { deps }: { deps: Shop }) => deps.orders.get(order) ?? 'unknown order',
});

/** Refunds up to this amount need no approval. */
const LIMIT_EUROS = 50;

const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  inputSchema: z.object({ order: z.string(), euros: z.number().positive() }),
  requiresApproval: ({ euros }) => euros > LIMIT_EUROS,
  preview: ({ order, euros }) => `Refund €${euros} for order ${order}`,
  async execute(
    { order, euros },
    { deps, idempotencyKey }: { deps: Shop; idempotencyKey: string },
  ) {
    await deps.pay(order, euros, idempotencyKey);
    return `Refunded €${euros} for order ${order}.`;
  },
});
// #endregion

/** Responds without a provider: it looks the order up, refunds its price, and reports the outcome. */
const script = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind !== 'tool-return') {
    const text = last?.kind === 'user-prompt' ? JSON.stringify(last.content) : '';
    return calls('look_up_order', { order: /\d+/.exec(text)?.[0] ?? '17' });
  }
  if (last.toolName === 'refund') return says(String(last.content));
  const call = messages.at(-2)?.parts.find((part) => part.kind === 'tool-call');
  const { order } = JSON.parse(String(call?.args)) as { order: string };
  return calls('refund', { order, euros: Number(last.content) });
});

// #region agent
export const support = new Agent({
  name: 'support',
  // Such as `MODEL=openai:gpt-5`, with @ai-sdk/openai and OPENAI_API_KEY.
  model: process.env['MODEL'] || script,
  instructions: 'You help customers of a shop. Look an order up before you refund it. Be brief.',
  tools: [lookUp, refund],
});
// #endregion
