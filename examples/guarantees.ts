// What is guaranteed about calls that somebody approves: with nothing, with digests, with a ledger.
import assert from 'node:assert/strict';
import {
  Agent,
  AlreadyResumedError,
  DeferredToolRequests,
  type SharedOptions,
  MemoryLedger,
  messageCodec,
  RefusedAnswersError,
  requestsCodec,
  requestsFromMessages,
  resultsCodec,
  tool,
  ToolApproved,
  UsageLimitExceeded,
} from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';

const output = [String, DeferredToolRequests] as const;

/** A model that pays a bill of 40 euros and says so. It goes by the history, so any process can ask it. */
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
  // In the words of your code, not of the model: for whoever approves. It must hold when the call runs.
  preview: ({ to, euros }) => ({ to, euros, before: balance.euros, after: balance.euros - euros }),
  // Change it whenever the tool does something else with the same arguments.
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

const shown: string[] = [];
const show = (name: string, ...data: unknown[]) =>
  void shown.push([name, ...data.map((one) => JSON.stringify(one))].join(' '));
const warn = show;

/** A run that waits for somebody to approve the payment. */
async function park(options: SharedOptions) {
  paid = [];
  const agent = new Agent({ model, tools: [pay], output, ...options });
  const parked = await agent.run('Pay the bill.');
  assert.ok(parked.status === 'parked');
  return { agent, parked };
}

// 1. The preview is shown to whoever approves, and looked at again before the call runs.
{
  const { agent, parked } = await park({});
  // #region show
  for (const call of parked.output.approvals) {
    const { preview, drifted, deniedBefore, inDoubt } = parked.output.get(call).details;
    show(call.toolName, parked.output.get(call.toolCallId).args, preview);
    if (drifted) warn('It is not what somebody approved before.');
    if (deniedBefore) warn('Somebody has said no to the very same call.');
    if (inDoubt) warn(`It may have run already: ${inDoubt.reason}`);
  }
  // #endregion
  assert.deepEqual(shown, [
    'pay {"to":"ACME","euros":40} {"to":"ACME","euros":40,"before":100,"after":60}',
  ]);

  balance.euros = 50; // somebody else has paid something meanwhile
  const again = await agent.resume(parked, parked.output.buildResults({ approveAll: true }));
  assert.ok(again.status === 'parked');
  assert.deepEqual(paid, []);
  assert.equal(again.output.get('p').details.drifted, true);
  balance.euros = 100;
}

// 2. With a digest, an answer is for the call that was asked about, and for no other.
{
  // #region digest
  const agent = new Agent({ model, tools: [pay], output, durability: { digests: true } });
  const parked = await agent.run('Pay the bill.');
  assert.ok(parked.status === 'parked');
  const stored = messageCodec.stringify(parked.messages);

  // Where somebody is asked: the answers carry the digests of what was shown.
  const requests = requestsCodec.parse(requestsCodec.stringify(parked.output));
  const answers = resultsCodec.stringify(requests.buildResults({ approveAll: true }));

  // Where the run goes on.
  const messages = messageCodec.parse(stored);
  const done = await agent.resume({ messages }, resultsCodec.parse(answers));
  // #endregion
  assert.equal(done.status, 'finished');

  // Somebody who can write where the history is stored changes the amount.
  const forged = stored.replaceAll('"euros":40', '"euros":4000');
  assert.notEqual(forged, stored);
  const changed = { messages: messageCodec.parse(forged) };
  await assert.rejects(agent.resume(changed, resultsCodec.parse(answers)), RefusedAnswersError);
  assert.deepEqual(paid, ['40 to ACME']);
}

// 3. With a ledger that all who resume runs share, an approved call runs at most once.
{
  paid = [];
  // #region ledger
  const ledger = new MemoryLedger(); // for one process; a table of your database for several
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

  // What has run cannot be denied in an old copy, as what was denied cannot be approved in one.
  const denied = parked.output.buildResults({ approvals: { p: false } });
  const third = await agent.resume(parked, denied, { durability: { onAlreadyResumed: 'replay' } });
  assert.deepEqual(
    JSON.stringify(third.newMessages).match(/\d+ euros paid to \w+/)?.[0],
    '40 euros paid to ACME',
  );
}

// 4. After an unexpected error nobody knows whether the money has gone. So it is asked about again.
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
  assert.match(waiting.output.get('p').details.inDoubt?.reason ?? '', /connection was lost/);

  const answerWith = (answer: 'run again' | 'leave it' | 'it has run') => {
    // #region doubt
    const requests = waiting.output;
    switch (answer) {
      case 'run again': // with the same ctx.idempotencyKey
        return requests.buildResults({ approvals: { p: true } });
      case 'leave it':
        return requests.buildResults({ approvals: { p: false } });
      case 'it has run': // somebody has looked: this is what came of it
        return requests.buildResults({ calls: { p: '40 euros paid to ACME' } });
    }
    // #endregion
  };
  const done = await agent.resume(waiting, answerWith('it has run'));
  assert.equal(done.status, 'finished');
  assert.deepEqual(paid, ['40 to ACME']);
  // From then on it is the outcome, in every copy.
  const copy = await agent.resume(parked, approved, { durability: { onAlreadyResumed: 'replay' } });
  assert.equal(copy.status, 'finished');
  assert.deepEqual(paid, ['40 to ACME']);
}

// 5. Arguments that the approver has edited are checked again, and kept beside what the model sent.
{
  const { agent, parked } = await park({ reportEditedArgs: true });
  // #region edit
  const edited = new ToolApproved({ overrideArgs: { to: 'ACME', euros: 20 } });
  const results = parked.output.buildResults({ approvals: { p: edited } });
  const done = await agent.resume(parked, results);
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
  const overrideArgs = { to: 'ACME', euros: 20 };
  const described = await parked.output.checkEdit('p', overrideArgs);
  if (!described?.ok) throw new Error('The edited arguments do not match the schema.');
  const { args, preview } = described;
  show('pay', args, preview); // the approver confirms this
  const confirmed = new ToolApproved({ overrideArgs, shown: { args, preview } });
  await agent.resume(parked, parked.output.buildResults({ approvals: { p: confirmed } }));
  // #endregion
  assert.deepEqual(paid, ['20 to ACME']);
}

// 6. A tool can be said to run once, although nobody has to approve it.
{
  const booked: string[] = [];
  const ledger = new MemoryLedger();
  // #region once
  const book = tool({
    name: 'book',
    inputSchema: z.object({ room: z.string() }),
    once: true, // needs a ledger
    onInDoubt: 'fail', // or 'ask', the default, or 'retry'
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
  // The process dies when the call is about to run; what is left is the history up to there.
  const run = agent.iter('Book a room.');
  let left = '';
  for await (const step of run)
    if (step.kind === 'call-tools') left ||= messageCodec.stringify(run.messages);
  assert.deepEqual(booked, ['7']); // it has run after all

  await agent.run(undefined, { messageHistory: messageCodec.parse(left) });
  assert.deepEqual(booked, ['7']);

  const done: string[] = [];
  const both = functionModel(({ messages }) =>
    messages.some(({ kind }) => kind === 'response')
      ? says('Done.')
      : responds(calls('look'), calls('lock')),
  );
  // #region unless-safe
  const look = tool({
    name: 'look',
    readOnly: true, // or idempotent: running it again does no harm
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

// 7. Limits hold for a run and its resumptions together.
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
