import assert from 'node:assert/strict';
import { Agent, tool } from 'holdpoint';
import { z } from 'zod';

const stock = new Map([['bread', 3]]);

const inStock = tool({
  name: 'in_stock',
  inputSchema: z.object({ item: z.string() }),
  execute: ({ item }) => stock.get(item) ?? 0,
});

const clerk = new Agent({ model: 'openai:gpt-5', tools: [inStock] });

/** The code under test. It uses the agent, and is independent of models. */
async function helpCustomer(question: string): Promise<string> {
  const { output } = await clerk.run(question);
  return output;
}

// #region test
import { calls, says, scriptedModel } from 'holdpoint/testing';

const model = scriptedModel(calls('in_stock', { item: 'bread' }), says('Three loaves.'));

const text = await clerk.override({ model }, () => helpCustomer('Any bread left?'));

assert.equal(text, 'Three loaves.');
assert.equal(model.calls.length, 2);
assert.deepEqual(model.calls[1]?.messages.at(-1)?.parts[0], {
  kind: 'tool-return',
  toolName: 'in_stock',
  toolCallId: 'call-1',
  content: 3,
  outcome: 'success',
});
// #endregion
