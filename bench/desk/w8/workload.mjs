/**
 * W8: the model calls `lookup`, which executes at once, and `refund`, which needs approval. The run parks, an
 * approver approves the call, a worker resumes the run, and the model ends it with a text.
 */
import { z } from 'zod';

export const LOOKUP = {
  name: 'lookup',
  description: 'Looks an order up.',
  schema: z.object({ order: z.string() }),
  execute: ({ order }) => `Order ${order} was delivered.`,
};

export const REFUND = {
  name: 'refund',
  description: 'Gives money back.',
  schema: z.object({ order: z.string(), euros: z.number() }),
};

/** The final text output of every run. */
export const FINAL = 'Done.';

export const REQUESTER = { id: 'ada' };
export const APPROVER = { id: 'grace' };

/** Returns the calls of the model's first response, with arguments as objects. */
export function callsFor(order) {
  return [
    { id: `lookup-${order}`, name: LOOKUP.name, args: { order } },
    { id: `refund-${order}`, name: REFUND.name, args: { order, euros: 40 } },
  ];
}

/** Counts the executions of `refund` per order. */
export class Refunds {
  #executions = new Map();

  execute = ({ order, euros }) => {
    this.#executions.set(order, (this.#executions.get(order) ?? 0) + 1);
    return `${euros} euros were given back for order ${order}.`;
  };

  /** Throws unless `refund` executed exactly once for each of the orders. */
  requireOnce(orders) {
    const wrong = orders.filter((order) => this.#executions.get(order) !== 1);
    if (wrong.length === 0) return;
    const counts = wrong.map((order) => this.#executions.get(order) ?? 0);
    throw new Error(
      `\`refund\` executed ${Math.min(...counts)} to ${Math.max(...counts)} times instead of once in ` +
        `${wrong.length} of ${orders.length} runs.`,
    );
  }
}

/** Calls `work` for each item, `concurrency` at a time. */
export async function forEach(items, concurrency, work) {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await work(items[next++]);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** Throws unless a run ended with the final text. */
export function requireFinal(text) {
  if (text !== FINAL) throw new Error(`A run ended with ${JSON.stringify(text)}.`);
}
