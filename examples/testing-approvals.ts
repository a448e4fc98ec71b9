// Testing an agent whose calls need approval. Scripted approvers replace people, and send valid and
// invalid decisions. Each part can be a test of any runner.
//
//   npx tsx --conditions=holdpoint-source examples/testing-approvals.ts
import assert from 'node:assert/strict';
import {
  Agent,
  DeferredToolRequests,
  messageCodec,
  requestsFromMessages,
  tool,
  ToolDenied,
  UserError,
} from 'holdpoint';
import { approver, calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

/** The code under test: an agent that pays two bills, which need approval. */
function makeBank() {
  const paid: string[] = [];
  const pay = tool({
    name: 'pay',
    inputSchema: z.object({ bill: z.string() }),
    requiresApproval: true,
    execute({ bill }) {
      paid.push(bill);
      return 'paid';
    },
  });
  const model = scriptedModel(
    responds(
      calls('pay', { bill: 'rent' }, { id: 'rent' }),
      calls('pay', { bill: 'yacht' }, { id: 'yacht' }),
    ),
    says('Done.'),
  );
  const bank = new Agent({ model, tools: [pay], output: [String, DeferredToolRequests] });
  return { bank, paid };
}

async function parkedPayments() {
  const { bank, paid } = makeBank();
  const parked = await bank.run('Pay my bills.');
  assert.ok(parked.status === 'parked');
  assert.deepEqual(paid, []);
  return { bank, parked, paid };
}

// 1. Scripted approvers decide instead of people. Valid decisions show that the right calls are executed…
{
  const { bank, parked, paid } = await parkedPayments();
  const decisions = approver.byTool({
    pay: (call) => call.toolCallId === 'rent' || new ToolDenied('Too much.'),
  });

  const done = await bank.resume(parked, decisions(parked.output));

  assert.equal(done.output, 'Done.');
  assert.deepEqual(paid, ['rent']);
}

// 2. …and no call is executed with a decision that is missing, forged, duplicate or of the wrong
// kind.
{
  const yes = approver.approveAll();
  const spoiled = [
    approver.partial(yes, 1),
    approver.forged(yes),
    approver.swapped(yes),
    approver.duplicated(yes),
  ];
  for (const approve of spoiled) {
    const { bank, parked, paid } = await parkedPayments();

    await assert.rejects(bank.resume(parked, approve(parked.output)), UserError);

    assert.deepEqual(paid, []);
  }
}

// 3. A parked run is the same after it was stored. A test of your storage code uses the same JSON.
{
  const { bank, parked, paid } = await parkedPayments();

  const messages = messageCodec.parse(messageCodec.stringify(parked.messages));
  const requests = requestsFromMessages(messages);
  assert.ok(requests);
  await bank.resume({ messages }, requests.buildResults({ approveAll: true }));

  assert.deepEqual(paid, ['rent', 'yacht']);
}

// 4. The same approvers are handlers for a run that waits for decisions instead of parking.
{
  const { bank, paid } = makeBank();

  const { output } = await bank.run('Pay my bills.', {
    deferredToolHandler: approver.denyAll('Not today.'),
  });

  assert.equal(output, 'Done.');
  assert.deepEqual(paid, []);
}

console.log('Only what was approved has run.');
