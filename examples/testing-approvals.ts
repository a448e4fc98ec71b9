// Testing an agent that asks for approval: approvers stand for people, good ones and bad ones, and
// nothing is stubbed. The parts stand for tests of any runner.
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

/** The application: an agent that wants to pay two bills, and may not do so by itself. */
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

// 2. …and no call is executed with a decision that is missing, made up, duplicate or of the wrong kind.
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

// 3. A parked run survives storage. A test of your storage code uses the same JSON.
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
