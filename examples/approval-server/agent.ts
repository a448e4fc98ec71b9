// The agent: it looks at orders, and refunds them once somebody has agreed.
import type { DatabaseSync } from 'node:sqlite';
import {
  Agent,
  DeferredToolRequests,
  ModelRetry,
  type RunContext,
  type ToolContext,
  tool,
} from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

/** What the tools work on. */
export interface Shop {
  readonly database: DatabaseSync;
}

/** What a run of the agent may end with. */
export const output = [String, DeferredToolRequests] as const;

/** Makes the tables of the shop, with an order in it. */
export function prepareShop({ database }: Shop): void {
  database.exec(`
    CREATE TABLE IF NOT EXISTS orders (number INTEGER PRIMARY KEY, customer TEXT NOT NULL, euros INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS refunds (key TEXT PRIMARY KEY, number INTEGER NOT NULL, euros INTEGER NOT NULL);
    INSERT OR IGNORE INTO orders VALUES (17, 'Ada', 40);
  `);
}

const refund = tool({
  name: 'refund',
  description: 'Pays money back for an order.',
  inputSchema: z.object({ order: z.number().int(), euros: z.number().int().positive() }),
  // What cannot be goes back to the model, and nobody is asked.
  argsValidator({ order, euros }, ctx: RunContext<Shop>) {
    const found = findOrder(ctx.deps, order);
    if (found === undefined) throw new ModelRetry(`There is no order ${order}.`);
    if (euros > found.euros) throw new ModelRetry(`The order was only ${found.euros} euros.`);
  },
  requiresApproval: true,
  // What the approver sees comes from the database, not from the model.
  preview: ({ order, euros }, ctx: RunContext<Shop>) => {
    const found = findOrder(ctx.deps, order);
    return found && `Pay ${euros} of ${found.euros} euros back to ${found.customer}`;
  },
  execute({ order, euros }, ctx: ToolContext<Shop>) {
    // The key is the same for every attempt to run this call: a second row cannot be written.
    ctx.deps.database
      .prepare('INSERT INTO refunds VALUES (?, ?, ?)')
      .run(ctx.idempotencyKey, order, euros);
    return `${euros} euros were paid back.`;
  },
});

function findOrder({ database }: Shop, number: number) {
  const row = database.prepare('SELECT customer, euros FROM orders WHERE number = ?').get(number);
  return row && { customer: String(row['customer']), euros: Number(row['euros']) };
}

/** Stands for a model. It goes by the history alone, so it answers in whichever process it is asked. */
const script = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind === 'user-prompt') return calls('refund', { order: 71, euros: 40 });
  if (last?.kind === 'retry-prompt') return calls('refund', { order: 17, euros: 40 });
  const denied = last?.kind === 'tool-return' && last.outcome === 'denied';
  return says(denied ? `I am sorry: ${String(last.content)}` : 'You get your money back.');
});

export const support = new Agent({
  name: 'support',
  model: process.env['HOLDPOINT_MODEL'] || script,
  instructions: 'You help the customers of a lamp shop. Refund what arrived broken.',
  tools: [refund],
  output,
  durability: { digests: true },
});
