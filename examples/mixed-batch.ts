// A response with several calls: calls without a deferral execute immediately, and the others stay
// pending.
import assert from 'node:assert/strict';
import {
  Agent,
  ApprovalRequired,
  DeferredToolRequests,
  ExternalToolset,
  FunctionToolset,
  type Message,
  tool,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

/** The results in a request, by tool call id and in their order. */
function resultsIn(message: Message | undefined): unknown[] {
  if (message?.kind !== 'request') return [];
  return message.parts.flatMap((part) =>
    part.kind === 'tool-return' ? [[part.toolCallId, part.content]] : [],
  );
}

// 1. When the run parks, the price is in the history and the purchase is pending.
{
  const bought: string[] = [];
  const Fruit = z.object({ fruit: z.string() });
  const getPrice = tool({ name: 'get_price', inputSchema: Fruit, execute: () => 10 });
  const buy = tool({
    name: 'buy',
    inputSchema: Fruit,
    execute({ fruit }, ctx) {
      if (!ctx.toolCallApproved) throw new ApprovalRequired();
      bought.push(fruit);
      return `One ${fruit} is on its way.`;
    },
  });
  const agent = new Agent({
    model: scriptedModel(
      responds(
        calls('buy', { fruit: 'apple' }, { id: 'purchase' }),
        calls('get_price', { fruit: 'apple' }, { id: 'price' }),
      ),
      says('An apple costs 10. I bought you one.'),
    ),
    tools: [getPrice, buy],
    output: [String, DeferredToolRequests],
  });

  const parked = await agent.run('What does an apple cost? Also buy me one.');

  assert.ok(parked.status === 'parked');
  assert.deepEqual(
    parked.output.approvals.map((call) => call.toolCallId),
    ['purchase'],
  );
  assert.deepEqual(resultsIn(parked.messages.at(-1)), [['price', 10]], 'this one has run');
  assert.deepEqual(bought, []);

  const done = await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

  assert.equal(done.output, 'An apple costs 10. I bought you one.');
  assert.deepEqual(bought, ['apple']);
  assert.deepEqual(
    done.newMessages.map((message) => message.kind),
    ['request', 'response'],
  );
  assert.deepEqual(resultsIn(done.newMessages[0]), [['purchase', 'One apple is on its way.']]);
}

// 2. A toolset in which some tools need approval: two calls are pending, and the third has
// executed.
{
  const Operand = z.object({ x: z.number() });
  const numbers = new FunctionToolset(
    {
      foo: tool({ inputSchema: Operand, execute: ({ x }) => x * 2 }),
      bar: tool({ inputSchema: Operand, execute: ({ x }) => x * 3 }),
    },
    { requiresApproval: (_args, ctx) => ctx.toolName === 'foo' },
  );
  const agent = new Agent({
    model: scriptedModel(
      responds(
        calls('foo', { x: 1 }, { id: 'foo1' }),
        calls('foo', { x: 2 }, { id: 'foo2' }),
        calls('bar', { x: 3 }, { id: 'bar' }),
      ),
      says('2, not 4, and 9.'),
    ),
    toolsets: [numbers],
    output: [String, DeferredToolRequests],
  });

  const parked = await agent.run('foo 1, foo 2, bar 3');

  assert.ok(parked.status === 'parked');
  assert.deepEqual(
    parked.output.approvals.map((call) => call.toolCallId),
    ['foo1', 'foo2'],
  );
  assert.deepEqual(resultsIn(parked.messages.at(-1)), [['bar', 9]]);

  const results = parked.output.buildResults({ approvals: { foo1: true, foo2: false } });
  const done = await agent.resume(parked, results);

  assert.deepEqual(resultsIn(done.newMessages[0]), [
    ['foo1', 2],
    ['foo2', 'The tool call was denied.'],
  ]);
}

// 3. A handler decides an approval and an external call of one batch. Results of plain calls come first, then
//    approved calls, then external results.
{
  const agent = new Agent({
    model: scriptedModel(
      responds(
        calls('ask_customer', { question: 'Which colour?' }, { id: 'customer' }),
        calls('refund', { euros: 20 }, { id: 'refund' }),
        calls('note', { text: 'late' }, { id: 'note' }),
      ),
      says('Done.'),
    ),
    tools: [
      tool({
        name: 'refund',
        inputSchema: z.object({ euros: z.number() }),
        requiresApproval: true,
        execute: ({ euros }) => `${euros} refunded`,
      }),
      tool({ name: 'note', inputSchema: z.object({ text: z.string() }), execute: () => 'saved' }),
    ],
    toolsets: [new ExternalToolset([{ name: 'ask_customer' }])],
  });

  const { messages } = await agent.run('The parcel is late.', {
    deferredToolHandler: (requests) =>
      requests.buildResults({
        approveAll: true,
        calls: Object.fromEntries(requests.calls.map((call) => [call.toolCallId, 'red'])),
      }),
  });

  assert.deepEqual(resultsIn(messages.at(-2)), [
    ['note', 'saved'],
    ['refund', '20 refunded'],
    ['customer', 'red'],
  ]);
}

console.log('What may run ran; what had to wait waited.');
