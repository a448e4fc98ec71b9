import { Agent, DeferredToolRequests, MemoryLedger, type StandardSchema, tool } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';

/** Creates a schema that returns the same mutable object each time. */
function sharing(shared: { amount: number }): StandardSchema<unknown, { amount: number }> {
  const json = () => ({ type: 'object', properties: { amount: { type: 'number' } } });
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      jsonSchema: { input: json, output: json },
      validate: () => ({ value: shared }),
    },
  };
}

describe('validated arguments', () => {
  it('stay unchanged until the tool receives them, also during a ledger request', async () => {
    const shared = { amount: 1 };
    const paid: number[] = [];
    class SlowLedger extends MemoryLedger {
      override async claim(...args: Parameters<MemoryLedger['claim']>) {
        const entry = await super.claim(...args);
        shared.amount = 1000;
        return entry;
      }
    }
    const agent = new Agent({
      model: scriptedModel(calls('pay', { amount: 1 }), says('Paid.')),
      tools: {
        pay: tool({
          inputSchema: sharing(shared),
          requiresApproval: true,
          execute: ({ amount }) => void paid.push(amount),
        }),
      },
      output: [String, DeferredToolRequests],
      durability: { ledger: new SlowLedger() },
    });

    const parked = await agent.run('Pay.');
    if (parked.status !== 'parked') throw new Error('It did not wait.');
    await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(paid).toEqual([1]);
    expect(shared.amount).toBe(1000);
  });
});
