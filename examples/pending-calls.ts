// Decisions about pending calls. Each call is an object with its arguments and with methods for the
// decision.
import assert from 'node:assert/strict';
import { Agent, type DecisionEntry, DeferredToolRequests, tool } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const refunded: { euros: number; reason: string | undefined }[] = [];

const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  inputSchema: z.object({ order: z.string(), euros: z.number() }),
  requiresApproval: true,
  execute({ euros }, ctx) {
    refunded.push({ euros, reason: ctx.approval?.reason });
    return `Refunded ${euros} euros.`;
  },
});

const agent = new Agent({
  model: scriptedModel(
    responds(
      calls('refund', { order: 'A-1', euros: 20 }),
      calls('refund', { order: 'A-2', euros: 900 }),
    ),
    says('One refund was made.'),
  ),
  tools: [refund],
  output: [String, DeferredToolRequests],
});

const parked = await agent.run('Refund orders A-1 and A-2.');
assert.ok(parked.status === 'parked');
const requests = parked.output;

// #region decide
const decisions: DecisionEntry[] = [];
for (const call of requests) {
  if (call.is(refund) && call.args.euros <= 50) {
    decisions.push(call.approve({ reason: 'Within the limit.' }));
  } else {
    decisions.push(call.deny('Refunds above 50 euros need a manager.'));
  }
}
const done = await agent.resume(parked, requests.buildResults(decisions));
// #endregion

assert.equal(done.output, 'One refund was made.');
assert.deepEqual(refunded, [{ euros: 20, reason: 'Within the limit.' }]);
console.log(String(requests));
