// The agent reads orders and refunds them after an approval.
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

/** The dependencies of the tools. */
export interface Shop {
  readonly database: DatabaseSync;
}

export const output = [String, DeferredToolRequests] as const;

/** Creates the tables of the shop, with one order. */
export function prepareShop({ database }: Shop): void {
  database.exec(`
    CREATE TABLE IF NOT EXISTS orders (number INTEGER PRIMARY KEY, customer TEXT NOT NULL, euros INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS refunds (key TEXT PRIMARY KEY, number INTEGER NOT NULL, euros INTEGER NOT NULL);
    INSERT OR IGNORE INTO orders VALUES (17, 'Ada', 40);
  `);
}

const refund = tool({
  name: 'refund',
  description: 'Refund an order.',
  inputSchema: z.object({ order: z.number().int(), euros: z.number().int().positive() }),
  // The model corrects an impossible refund before an approver sees it.
  argsValidator({ order, euros }, ctx: RunContext<Shop>) {
    const found = findOrder(ctx.deps, order);
    if (found === undefined) throw new ModelRetry(`There is no order ${order}.`);
    if (euros > found.euros) throw new ModelRetry(`Order ${order} was only €${found.euros}.`);
  },
  requiresApproval: true,
  // The preview comes from the database, not from the model.
  preview: ({ order, euros }, ctx: RunContext<Shop>) => {
    const found = findOrder(ctx.deps, order);
    return found && `Refund €${euros} of €${found.euros} to ${found.customer}`;
  },
  execute({ order, euros }, ctx: ToolContext<Shop>) {
    // Every attempt of this call has the same key, so a second row cannot be inserted.
    ctx.deps.database
      .prepare('INSERT INTO refunds VALUES (?, ?, ?)')
      .run(ctx.idempotencyKey, order, euros);
    return `Refunded €${euros}.`;
  },
});

function findOrder({ database }: Shop, number: number) {
  const row = database.prepare('SELECT customer, euros FROM orders WHERE number = ?').get(number);
  return row && { customer: String(row['customer']), euros: Number(row['euros']) };
}

/** Replaces a model. It depends only on the history, so any process can resume the run. */
const script = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind === 'user-prompt') return calls('refund', { order: 71, euros: 40 });
  if (last?.kind === 'retry-prompt') return calls('refund', { order: 17, euros: 40 });
  const denied = last?.kind === 'tool-return' && last.outcome === 'denied';
  return says(denied ? `I am sorry: ${String(last.content)}` : 'Your refund is on its way.');
});

export const support = new Agent({
  name: 'support',
  model: process.env['HOLDPOINT_MODEL'] || script,
  instructions: 'You help the customers of a lamp shop. Refund what arrived broken.',
  tools: [refund],
  output,
  durability: { digests: true },
});
