import assert from 'node:assert/strict';
import { Agent } from 'holdpoint';
import { calls, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const order = { item: 'bread', quantity: 2 };
const model = scriptedModel(
  calls('final_result', { item: 'bread', quantity: 'two' }),
  calls('final_result', order),
);

// #region output
const Order = z.object({ item: z.string(), quantity: z.number().int() });

const clerk = new Agent({ model, output: Order });

const { output } = await clerk.run('Two loaves of bread, please.');
console.log(output.item, output.quantity); // typed: string, number
// #endregion
assert.deepEqual(output, order);
assert.equal(model.calls.length, 2);
