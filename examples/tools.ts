// Tools: typed arguments, dependencies, parallel calls, retries, failures, timeouts.
import assert from 'node:assert/strict';
import { Agent, ModelRetry, type RunContext, tool, ToolFailed, ToolReturn } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

/** The dependencies of the tools. Each tool declares only those that it uses. */
interface Shop {
  readonly prices: ReadonlyMap<string, number>;
}
interface Till {
  readonly sold: string[];
}

const Item = z.object({ item: z.string().describe('What the customer wants') });

const price = tool({
  name: 'price',
  description: 'The price of an item, in cents.',
  inputSchema: Item,
  requireParameterDescriptions: true,
  execute({ item }, ctx: RunContext<Shop>) {
    const cents = ctx.deps.prices.get(item);
    // The model receives the message and may try again.
    if (cents === undefined) throw new ModelRetry(`There is no '${item}'. Try the singular.`);
    return cents;
  },
});

const sell = tool({
  name: 'sell',
  description: 'Sell an item.',
  inputSchema: Item,
  // Calls to this tool execute sequentially: one sale at a time.
  sequential: true,
  argsValidator({ item }, ctx: RunContext<Shop & Till>) {
    if (!ctx.deps.prices.has(item)) throw new ModelRetry(`There is no '${item}'.`);
  },
  execute({ item }, ctx: RunContext<Shop & Till>) {
    ctx.deps.sold.push(item);
    return new ToolReturn({
      returnValue: `Sold: ${item}`,
      // For the application. It is stored in the history, and the model does not see it.
      metadata: { receipt: ctx.deps.sold.length },
    });
  },
});

const deliver = tool({
  name: 'deliver',
  description: 'Deliver what was sold.',
  execute() {
    // The model receives the failure, without a request to try again.
    throw new ToolFailed('No driver is free today.');
  },
});

const brew = tool({
  name: 'brew',
  description: 'Brew a coffee.',
  timeout: 20,
  execute: (_args, ctx) =>
    new Promise((_resolve, reject) => {
      ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason));
    }),
});

const agent = new Agent({
  model: scriptedModel(
    // Two calls of a response execute in parallel. One of them is invalid.
    responds(calls('price', { item: 'bread' }), calls('price', { item: 'apples' })),
    calls('price', { item: 'apple' }),
    responds(calls('sell', { item: 'bread' }), calls('deliver'), calls('brew')),
    says('Sold. I cannot deliver it, and there is no coffee.'),
  ),
  tools: [price, sell, deliver, brew],
});

// The deps are those of all tools together, and the compiler requires them.
const deps = {
  prices: new Map([
    ['bread', 320],
    ['apple', 40],
  ]),
  sold: [],
};
const result = await agent.run('Bread, delivered, and a coffee. What are apples?', { deps });

assert.deepEqual(deps.sold, ['bread']);
assert.equal(result.usage.toolCalls, 3, 'only calls that succeed are counted');

const results = result.messages
  .flatMap((message) => (message.kind === 'request' ? message.parts : []))
  .filter((part) => part.kind === 'tool-return' || part.kind === 'retry-prompt')
  .map((part) => [part.toolName, part.kind === 'tool-return' ? part.outcome : 'retry']);
assert.deepEqual(results, [
  ['price', 'success'],
  ['price', 'retry'],
  ['price', 'success'],
  ['sell', 'success'],
  ['deliver', 'failed'],
  ['brew', 'retry'],
]);
console.log(result.output);
