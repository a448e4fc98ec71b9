// Storing a parked run, the validation of a resume, and the duties of the application.
import assert from 'node:assert/strict';
import {
  Agent,
  ApprovalRequired,
  DeferredToolRequests,
  DeferredToolResults,
  messageCodec,
  requestsFromMessages,
  resultsCodec,
  tool,
  ToolApproved,
  type ToolContext,
  UserError,
} from 'holdpoint';
import { withoutStepRecord } from 'holdpoint/messages';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

let paid: number[] = [];
const pay = tool({
  name: 'pay',
  inputSchema: z.object({ euros: z.number().positive() }),
  requiresApproval: true,
  execute({ euros }) {
    paid.push(euros);
    return `${euros} paid`;
  },
});

/** Parks a run with two pending calls, `a` and `b`. `then` contains the later responses of the model. */
async function parkedOnTwo(...then: string[]) {
  paid = [];
  const agent = new Agent({
    model: scriptedModel(
      responds(calls('pay', { euros: 10 }, { id: 'a' }), calls('pay', { euros: 20 }, { id: 'b' })),
      ...then,
    ),
    tools: [pay],
    output: [String, DeferredToolRequests],
  });
  const parked = await agent.run('Pay both bills.');
  assert.ok(parked.status === 'parked');
  return { agent, parked, messages: parked.messages };
}

// 1. Another process needs only the messages. It reads the pending calls and their kinds from them.
{
  const { agent, parked } = await parkedOnTwo('Both are paid.');
  // #region from-messages
  const stored = messageCodec.stringify(parked.messages);

  const messages = messageCodec.parse(stored); // later, in another process
  const requests = requestsFromMessages(messages);
  // #endregion
  assert.deepEqual(requests?.approvals, parked.output.approvals);

  const json = resultsCodec.stringify(new DeferredToolResults({ approvals: { a: true, b: true } }));
  const done = await agent.resume({ messages }, resultsCodec.parse(json));
  assert.equal(done.output, 'Both are paid.');

  // The step record is in one place. Remove it before you show messages to people or front ends.
  // #region shown
  const shown = done.messages.map(withoutStepRecord);
  // #endregion
  assert.match(JSON.stringify(done.messages), /"holdpoint"/);
  assert.doesNotMatch(JSON.stringify(shown), /"holdpoint"/);

  // Only explicit decisions are accepted.
  assert.throws(
    () => resultsCodec.fromJSON({ holdpoint: 'results', version: 1, approvals: { a: 'yes' } }),
    /approvals/,
  );
}

// 2. A resume is validated completely. If one decision is invalid, nothing executes.
{
  const { agent, parked } = await parkedOnTwo();
  const rejects = async (results: DeferredToolResults, code: string, toolCallIds: string[]) => {
    await assert.rejects(agent.resume(parked, results), { code, toolCallIds });
    assert.deepEqual(paid, []);
  };

  const { approvals } = parked.output.buildResults({ approvals: { a: true } });
  await rejects(new DeferredToolResults({ approvals }), 'missing-results', ['b']);
  await rejects(
    new DeferredToolResults({ approvals: { a: true, b: true, c: true } }),
    'invalid-results',
    ['c'],
  );
  await rejects(
    new DeferredToolResults({ approvals: { a: true }, calls: { b: '20 paid' } }),
    'invalid-results',
    ['b'],
  );
  await rejects(
    new DeferredToolResults({ approvals: { a: true, b: true }, calls: { b: '20 paid' } }),
    'invalid-results',
    ['b'],
  );
  assert.throws(() => parked.output.buildResults({ approvals: { c: true } }), UserError);
}

// 3. Edited arguments that do not match the schema go back to the model.
{
  const { agent, parked } = await parkedOnTwo('One is paid.');
  const wrong = new ToolApproved({ overrideArgs: { euros: -1 } });

  const done = await agent.resume(
    parked,
    parked.output.buildResults({ approvals: { a: true, b: wrong } }),
  );

  assert.deepEqual(paid, [10]);
  assert.deepEqual(
    done.newMessages[0]?.parts.map((part) => part.kind),
    ['tool-return', 'retry-prompt'],
  );
}

// 4. A new prompt: with the decisions, or instead of them.
{
  const { agent, parked } = await parkedOnTwo('Paid.');
  const results = parked.output.buildResults({ approveAll: true });
  // #region prompt
  const done = await agent.resume(parked, results, { prompt: 'Keep the receipts.' });
  // #endregion
  assert.equal(done.newMessages[0]?.parts.at(-1)?.kind, 'user-prompt');
}
{
  const { agent, messages: messageHistory } = await parkedOnTwo('Alright, I will not pay.');

  await assert.rejects(
    agent.run('Forget it.', { messageHistory }),
    (error) => error instanceof UserError && /onPendingCalls/.test(error.message),
  );
  // #region cancel
  const done = await agent.run('Forget it.', { messageHistory, onPendingCalls: 'cancel' });
  // #endregion
  assert.equal(done.output, 'Alright, I will not pay.');
  assert.deepEqual(paid, []);
  assert.deepEqual(
    done.messages[2]?.parts.map((part) => part.kind === 'tool-return' && part.outcome),
    ['interrupted', 'interrupted'],
  );
}

// 5. Without a ledger, resumes are not recorded, so two resumes pay twice.
{
  const { agent, parked } = await parkedOnTwo('Paid.', 'Paid.');
  const results = parked.output.buildResults({ approveAll: true });

  await agent.resume(parked, results);
  await agent.resume(parked, results);

  assert.deepEqual(paid, [10, 20, 10, 20]);
}

// 6. So resume a run once (see approval-in-a-database.ts), and let the tool reject a duplicate.
{
  const bookings: string[] = [];
  // #region idempotent
  const payOnce = tool({
    name: 'pay',
    inputSchema: z.object({ euros: z.number().positive() }),
    requiresApproval: true,
    execute({ euros }, ctx: ToolContext<Bookings>) {
      return ctx.deps.book(ctx.idempotencyKey, euros) ? `${euros} paid` : 'This was already paid.';
    },
  });
  // #endregion

  interface Bookings {
    /** Books a payment and returns true, unless one with this key exists. */
    book(key: string, euros: number): boolean;
  }
  const booked = new Set<string>();
  const deps: Bookings = {
    book(key, euros) {
      if (booked.has(key)) return false;
      booked.add(key);
      bookings.push(`${euros} euros`);
      return true;
    },
  };
  const agent = new Agent({
    model: scriptedModel(calls('pay', { euros: 10 }), 'Paid.', 'Paid already.'),
    tools: [payOnce],
    output: [String, DeferredToolRequests],
  });
  const parked = await agent.run('Pay the bill.', { deps });
  assert.ok(parked.status === 'parked');
  const results = parked.output.buildResults({ approveAll: true });

  await agent.resume(parked, results, { deps });
  await agent.resume(parked, results, { deps });

  assert.deepEqual(bookings, ['10 euros']);
}

// 7. Several rounds: an approved call can be deferred again, here for a second approver. The prompt is kept.
{
  const transfer = tool({
    name: 'transfer',
    requiresApproval: true,
    execute(_args, ctx) {
      const by = Object(ctx.toolCallMetadata).approvedBy as string[] | undefined;
      if ((by?.length ?? 0) < 2) throw new ApprovalRequired({ approvedBy: by ?? [] });
      return `transferred, approved by ${by?.join(' and ')}`;
    },
  });
  const agent = new Agent({
    model: scriptedModel(calls('transfer', {}, { id: 't' }), says('Transferred.')),
    tools: [transfer],
    output: [String, DeferredToolRequests],
  });
  const first = await agent.run('Transfer it.');
  assert.ok(first.status === 'parked');
  const approvals = { t: true };

  const second = await agent.resume(
    first,
    first.output.buildResults({ approvals, metadata: { t: { approvedBy: ['Ada'] } } }),
    { prompt: 'Confirm it when it is done.' },
  );
  assert.ok(second.status === 'parked');
  assert.deepEqual({ ...second.output.metadata }, { t: { approvedBy: ['Ada'] } });

  const done = await agent.resume(
    second,
    second.output.buildResults({ approvals, metadata: { t: { approvedBy: ['Ada', 'Grace'] } } }),
  );
  assert.ok(done.status === 'finished');
  assert.match(JSON.stringify(done.messages), /transferred, approved by Ada and Grace/);
  assert.match(JSON.stringify(done.messages), /Confirm it when it is done/);
}

console.log('Every resume was validated.');
