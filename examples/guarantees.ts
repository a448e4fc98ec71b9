// The guarantees for approved calls: without options, with digests, and with a ledger.
import assert from 'node:assert/strict';
import {
  Agent,
  AlreadyResumedError,
  type DecisionEntry,
  DeferredToolRequests,
  type SharedOptions,
  MemoryLedger,
  messageCodec,
  InvalidResultsError,
  requestsCodec,
  requestsFromMessages,
  resultsCodec,
  tool,
  UsageLimitExceeded,
} from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';

const output = [String, DeferredToolRequests] as const;

/** A model that pays a bill of 40 euros. It depends only on the history, so any process can call it. */
const model = functionModel(({ messages }) =>
  messages.some(({ kind }) => kind === 'response')
    ? says('The bill is paid.')
    : calls('pay', { to: 'ACME', euros: 40 }, { id: 'p' }),
);

let paid: string[] = [];
const balance = { euros: 100 };

// #region preview
const pay = tool({
  name: 'pay',
  inputSchema: z.object({ to: z.string(), euros: z.number().positive() }),
  requiresApproval: true,
  // The approver sees this. It is computed again before the call executes, and must be the same then.
  preview: ({ to, euros }) => ({ to, euros, before: balance.euros, after: balance.euros - euros }),
  // Change it whenever the effect of the same arguments changes.
  version: '2026-11',
  async execute({ to, euros }, ctx) {
    await bank.transfer(to, euros, { idempotencyKey: ctx.idempotencyKey });
    return `${euros} euros paid to ${to}`;
  },
});
// #endregion

let bankFails = false;
const bank = {
  async transfer(to: string, euros: number, { idempotencyKey }: { idempotencyKey: string }) {
    assert.ok(idempotencyKey);
    paid.push(`${euros} to ${to}`);
    if (bankFails) throw new Error('The connection was lost.');
  },
};

const screen: string[] = [];
const show = (name: string, ...data: unknown[]) =>
  void screen.push([name, ...data.map((one) => JSON.stringify(one))].join(' '));
const warn = show;

/** Parks a run with a payment that needs approval. */
async function park(options: SharedOptions) {
  paid = [];
  const agent = new Agent({ model, tools: [pay], output, ...options });
  const parked = await agent.run('Pay the bill.');
  assert.ok(parked.status === 'parked');
  return { agent, parked };
}

// 1. The approver is shown the preview. It is compared again before the call executes.
{
  const { agent, parked } = await park({});
  // #region show
  for (const call of parked.output) {
    show(call.toolName, call.args, call.preview);
    if (call.drifted) warn('The call changed since it was approved.');
    if (call.deniedBefore) warn('The same call was denied before.');
    if (call.inDoubt) warn(`The call may have executed already: ${call.inDoubt.reason}`);
  }
  // #endregion
  assert.deepEqual(screen, [
    'pay {"to":"ACME","euros":40} {"to":"ACME","euros":40,"before":100,"after":60}',
  ]);

  balance.euros = 50; // another payment was made in the meantime
  const again = await agent.resume(parked, parked.output.buildResults({ approveAll: true }));
  assert.ok(again.status === 'parked');
  assert.deepEqual(paid, []);
  assert.equal(again.output.get('p').drifted, true);
  balance.euros = 100;
}

// 2. A decision with a digest is valid only for the call that the approver was shown.
{
  // #region digest
  const agent = new Agent({ model, tools: [pay], output, durability: { digests: true } });
  const parked = await agent.run('Pay the bill.');
  assert.ok(parked.status === 'parked');
  const stored = messageCodec.stringify(parked.messages);

  // In the process that shows the calls: the decisions contain the digests.
  const requests = requestsCodec.parse(requestsCodec.stringify(parked.output));
  const decisions = [...requests].map((call) => call.approve());
  const results = resultsCodec.stringify(requests.buildResults(decisions));

  // In the process that resumes the run.
  const messages = messageCodec.parse(stored);
  const done = await agent.resume({ messages }, resultsCodec.parse(results));
  // #endregion
  assert.equal(done.status, 'finished');

  // A writer of the stored history changes the amount.
  const forged = stored.replaceAll('"euros":40', '"euros":4000');
  assert.notEqual(forged, stored);
  const changed = { messages: messageCodec.parse(forged) };
  await assert.rejects(agent.resume(changed, resultsCodec.parse(results)), InvalidResultsError);
  assert.deepEqual(paid, ['40 to ACME']);
}

// 3. With a ledger that all processes share, an approved call executes at most once.
{
  paid = [];
  // #region ledger
  const ledger = new MemoryLedger(); // for one process; use a database for several
  const agent = new Agent({ model, tools: [pay], output, durability: { ledger } });
  const parked = await agent.run('Pay the bill.');
  assert.ok(parked.status === 'parked');
  const approved = parked.output.buildResults({ approveAll: true });

  await agent.resume(parked, approved);
  await assert.rejects(agent.resume(parked, approved), AlreadyResumedError);
  // #endregion
  assert.deepEqual(paid, ['40 to ACME']);

  // #region replay
  const second = await agent.resume(parked, approved, {
    durability: { onAlreadyResumed: 'replay' },
  });
  // #endregion
  assert.equal(second.output, 'The bill is paid.');
  assert.deepEqual(paid, ['40 to ACME']);

  // An executed call cannot be denied in an old copy, and a denied call cannot be approved in one.
  const denied = parked.output.buildResults({ approvals: { p: false } });
  const third = await agent.resume(parked, denied, { durability: { onAlreadyResumed: 'replay' } });
  assert.deepEqual(
    JSON.stringify(third.newMessages).match(/\d+ euros paid to \w+/)?.[0],
    '40 euros paid to ACME',
  );
}

// 4. After an unexpected error the payment may or may not have happened. So the call is requested again.
{
  const { agent, parked } = await park({ durability: { ledger: new MemoryLedger() } });
  const approved = parked.output.buildResults({ approveAll: true });
  bankFails = true;
  await assert.rejects(agent.resume(parked, approved), { message: 'The connection was lost.' });
  bankFails = false;

  const waiting = await agent.resume(parked, approved, {
    durability: { onAlreadyResumed: 'replay' },
  });
  assert.ok(waiting.status === 'parked');
  assert.deepEqual(paid, ['40 to ACME']);
  assert.match(waiting.output.get('p').inDoubt?.reason ?? '', /connection was lost/);

  const decide = (finding: 'not executed' | 'no longer wanted' | 'executed') => {
    const call = waiting.output.get('p');
    // #region doubt
    switch (finding) {
      case 'not executed':
        return call.approve(); // executes again, with the same ctx.idempotencyKey
      case 'no longer wanted':
        return call.deny('The bill was cancelled.');
      case 'executed':
        return call.resolve('40 euros paid to ACME');
    }
    // #endregion
  };
  const done = await agent.resume(waiting, waiting.output.buildResults([decide('executed')]));
  assert.equal(done.status, 'finished');
  assert.deepEqual(paid, ['40 to ACME']);
  // The result is now the recorded outcome, in every copy.
  const copy = await agent.resume(parked, approved, { durability: { onAlreadyResumed: 'replay' } });
  assert.equal(copy.status, 'finished');
  assert.deepEqual(paid, ['40 to ACME']);
}

// 5. Edited arguments are validated again, and recorded beside those that the model sent.
{
  const { agent, parked } = await park({ reportEditedArgs: true });
  // #region edit
  const decisions = [...parked.output].map((call) => {
    return call.approve({ args: { to: 'ACME', euros: 20 } });
  });
  const done = await agent.resume(parked, parked.output.buildResults(decisions));
  // #endregion
  assert.deepEqual(paid, ['20 to ACME']);
  const returned = done.newMessages[0]?.parts[0];
  assert.ok(returned?.kind === 'tool-return');
  assert.deepEqual(returned.metadata, { holdpoint: { executedArgs: { to: 'ACME', euros: 20 } } });
}

// An edit is bound to what its approver was shown.
{
  const { agent, parked } = await park({});
  // #region describe-edit
  const decisions: DecisionEntry[] = [];
  for (const call of parked.output) {
    const args = { to: 'ACME', euros: 20 };
    const edit = await call.checkEdit(args);
    if (!edit?.ok) throw new Error('The edited arguments do not match the schema.');
    const shown = { args: edit.args, preview: edit.preview };
    show(call.toolName, shown.args, shown.preview); // the approver confirms this
    decisions.push(call.approve({ args, shown }));
  }
  await agent.resume(parked, parked.output.buildResults(decisions));
  // #endregion
  assert.deepEqual(paid, ['20 to ACME']);
}

// 6. A tool can require that its calls execute at most once without approval.
{
  const booked: string[] = [];
  const ledger = new MemoryLedger();
  // #region once
  const book = tool({
    name: 'book',
    inputSchema: z.object({ room: z.string() }),
    once: true, // requires a ledger
    onInDoubt: 'fail', // or 'ask' (default), or 'retry'
    execute: ({ room }) => {
      booked.push(room);
      return `${room} is booked`;
    },
  });
  // #endregion
  const agent = new Agent({
    model: functionModel(({ messages }) =>
      messages.some(({ kind }) => kind === 'response')
        ? says('Done.')
        : calls('book', { room: '7' }),
    ),
    tools: [book],
    durability: { ledger },
  });
  // The process crashes just before the call executes; the history up to there is stored.
  const run = agent.iter('Book a room.');
  let left = '';
  for await (const step of run)
    if (step.kind === 'call-tools') left ||= messageCodec.stringify(run.messages);
  assert.deepEqual(booked, ['7']); // the call did execute

  await agent.run(undefined, { messageHistory: messageCodec.parse(left) });
  assert.deepEqual(booked, ['7']);

  const done: string[] = [];
  const both = functionModel(({ messages }) =>
    messages.some(({ kind }) => kind === 'response')
      ? says('Done.')
      : responds(calls('look'), calls('lock')),
  );
  // #region all-unsafe
  const look = tool({
    name: 'look',
    readOnly: true, // or `idempotent`: a second execution is harmless
    execute: () => done.push('looked'),
  });
  const lock = tool({ name: 'lock', execute: () => done.push('locked') });
  const clerk = new Agent({
    model: both,
    tools: [look, lock],
    durability: {
      atMostOnce: 'all-unsafe', // requires a ledger
      ledger,
    },
  });
  // #endregion
  const first = clerk.iter('Look, and lock.');
  left = '';
  for await (const step of first) {
    if (step.kind === 'call-tools') left ||= messageCodec.stringify(first.messages);
  }
  await clerk.run(undefined, { messageHistory: messageCodec.parse(left) });
  assert.deepEqual(done, ['looked', 'locked', 'looked']);
}

// 7. Limits apply to a run and its resumes together.
{
  // #region usage
  const agent = new Agent({ model, tools: [pay], output, durability: { carryUsage: true } });
  const parked = await agent.run('Pay the bill.', { usageLimits: { requestLimit: 1 } });
  // #endregion
  assert.ok(parked.status === 'parked');
  const requests = requestsFromMessages(parked.messages);
  assert.ok(requests !== undefined);
  await assert.rejects(
    agent.resume(parked, requests.buildResults({ approveAll: true }), {
      usageLimits: { requestLimit: 1 },
    }),
    UsageLimitExceeded,
  );
}
