/** The tools of all workloads: three small ones on zod schemas, and arguments for them. */
import { z } from 'zod';

const schemas = {
  get_weather: z.object({ city: z.string(), units: z.enum(['c', 'f']) }),
  add_numbers: z.object({ a: z.number(), b: z.number() }),
  lookup_order: z.object({
    orderId: z.string().min(1),
    fields: z.array(z.string()),
    limit: z.number().int(),
  }),
};

export const argsOf = {
  get_weather: (i) => JSON.stringify({ city: `City ${i}`, units: 'c' }),
  add_numbers: (i) => JSON.stringify({ a: i, b: i + 1 }),
  lookup_order: (i) =>
    JSON.stringify({ orderId: `ord-${i}`, fields: ['status', 'total'], limit: 10 }),
};

export const bodyOf = {
  get_weather: ({ city }) => ({ city, temperature: 21, sky: 'clear' }),
  add_numbers: ({ a, b }) => ({ sum: a + b }),
  lookup_order: ({ orderId, limit }) => ({ orderId, status: 'shipped', total: limit * 3 }),
};

export const TOOL_NAMES = Object.keys(schemas);

/**
 * Creates the tools. `counter.n` counts executions. With `wait`, each execution yields to the event
 * loop.
 */
export function makeTools(counter, { wait = false, needsApproval = false } = {}) {
  return TOOL_NAMES.map((name) => ({
    name,
    description: `The ${name.replace('_', ' ')} tool.`,
    schema: schemas[name],
    needsApproval,
    async execute(args) {
      if (wait) await new Promise((resolve) => setImmediate(resolve));
      counter.n++;
      return bodyOf[name](args);
    },
  }));
}
