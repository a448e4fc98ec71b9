// Testing agents without a provider, for docs/testing.md.
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import {
  Agent,
  DeferredToolRequests,
  type Ledger,
  MemoryLedger,
  type RunContext,
  ToolDenied,
  tool,
  UnexpectedModelBehavior,
  UserError,
} from 'holdpoint';
import {
  approver,
  calls,
  describeLedger,
  everyFault,
  fakeClock,
  faultyLedger,
  functionModel,
  type LedgerFault,
  recordingEnvironment,
  replayingEnvironment,
  says,
  scriptedModel,
  TestModel,
} from 'holdpoint/testing';
import { z } from 'zod';

interface Bank {
  pay(to: string, euros: number): void;
}

const pay = tool({
  name: 'pay',
  inputSchema: z.object({ to: z.string(), euros: z.number().positive() }),
  requiresApproval: true,
  timeout: 5_000,
  execute({ to, euros }, ctx: RunContext<Bank>) {
    ctx.deps.pay(to, euros);
    return `${euros} paid to ${to}`;
  },
});

// The code under test: it knows nothing of tests.
const clerk = new Agent({
  model: 'openai:gpt-5',
  tools: [pay],
  output: [String, DeferredToolRequests],
});
const settle = (bill: string, deps: Bank) => clerk.run(`Settle this bill: ${bill}`, { deps });

function bank(): Bank & { readonly paid: string[] } {
  const paid: string[] = [];
  return { paid, pay: (to, euros) => void paid.push(`${to} ${euros}`) };
}

// #region script
test('a bill is paid after somebody has approved it, and not before', async () => {
  const deps = bank();
  const model = scriptedModel(calls('pay', { to: 'ACME', euros: 40 }), says('Paid.'));

  await clerk.override({ model }, async () => {
    const parked = await settle('ACME, 40 euros', deps);
    assert.ok(parked.status === 'parked');
    assert.deepEqual(deps.paid, []);

    const done = await clerk.resume(parked, approver.approveAll()(parked.output), { deps });
    assert.equal(done.output, 'Paid.');
    assert.deepEqual(deps.paid, ['ACME 40']);
  });
});
// #endregion

// #region text
test('arguments arrive as text, as in production', async () => {
  const model = scriptedModel(calls('pay', { to: 'ACME', euros: 40 }));

  const parked = await clerk.run('Settle it.', { model, deps: bank() });

  assert.ok(parked.status === 'parked');
  const [call] = parked.output;
  assert.equal(call?.part.args, '{"to":"ACME","euros":40}');
  assert.deepEqual(call?.args, { to: 'ACME', euros: 40 });
});
// #endregion

// #region asked
test('the model is told why a payment was denied', async () => {
  const deps = bank();
  const model = scriptedModel(calls('pay', { to: 'ACME', euros: 40 }), says('Not paid.'));
  const deny = approver.byTool({ pay: new ToolDenied('Ask me on Monday.') });

  await clerk.run('Settle it.', { model, deps, deferredToolHandler: deny });

  const [, second] = model.calls;
  const told = second?.messages.at(-1)?.parts[0];
  assert.ok(told?.kind === 'tool-return' && told.outcome === 'denied');
  assert.equal(told.content, 'Ask me on Monday.');
});
// #endregion

// #region hostile
test('answers that nobody was asked for run nothing', async () => {
  const deps = bank();
  const model = scriptedModel(calls('pay', { to: 'ACME', euros: 40 }));
  const parked = await clerk.run('Settle it.', { model, deps });
  assert.ok(parked.status === 'parked');

  const approve = approver.approveAll();
  for (const spoil of [approver.forged, approver.duplicated, approver.swapped]) {
    const results = spoil(approve)(parked.output);
    await assert.rejects(clerk.resume(parked, results, { deps }), UserError);
  }
  assert.deepEqual(deps.paid, []);
});
// #endregion

// #region others
const byFunction = functionModel(({ messages }) => `You have sent ${messages.length} message(s).`);
const anything = new TestModel(); // calls every tool once, with arguments that fit
// #endregion

test('other models for tests', async () => {
  const deps = bank();
  const counted = await clerk.run('Hello.', { model: byFunction, deps });
  assert.equal(counted.output, 'You have sent 1 message(s).');
  const tried = await clerk.run('Hello.', { model: anything, deps });
  assert.equal(tried.status, 'parked');
});

// #region clock
test('a tool that hangs is given up after five seconds', async () => {
  const clock = fakeClock();
  const stuck = tool({ name: 'stuck', timeout: 5_000, execute: () => new Promise(() => {}) });
  const model = scriptedModel(calls('stuck'), calls('stuck'));
  const agent = new Agent({ model, tools: [stuck], environment: clock });

  const failed = assert.rejects(agent.run('Go.'), UnexpectedModelBehavior);
  await clock.advance(5_000); // the first call …
  await clock.advance(5_000); // … and the retry
  await failed;
});
// #endregion

// #region replay
test('a recorded run plays back without its model and its tools', async () => {
  const deps = bank();
  const script = [calls('pay', { to: 'ACME', euros: 40 }), says('Paid.')];
  const options = { deps, deferredToolHandler: approver.approveAll() };
  const recorder = recordingEnvironment();
  const live = await clerk.run('Settle it.', {
    ...options,
    model: scriptedModel(...script),
    environment: recorder,
  });

  const again = await clerk.run('Settle it.', {
    ...options,
    model: scriptedModel(), // has nothing to say
    environment: replayingEnvironment(recorder.recording),
  });

  assert.deepEqual(again.messages, live.messages);
  assert.deepEqual(deps.paid, ['ACME 40'], 'one payment');
});
// #endregion

// #region faults
test('whenever the ledger fails, the bill is paid once at most', async () => {
  const clean = await resumeTwice();
  assert.deepEqual(clean.paid, ['ACME 40']);

  for (const fault of everyFault(clean.operations)) {
    const { paid } = await resumeTwice(fault);
    assert.ok(paid.length <= 1, `paid twice with ${JSON.stringify(fault)}`);
  }
});

/** Parks a run and resumes it where the ledger fails, then where it works. */
async function resumeTwice(fault?: LedgerFault) {
  const deps = bank();
  const ledger = new MemoryLedger();
  const faulty = faultyLedger(ledger, fault);
  const model = scriptedModel(calls('pay', { to: 'ACME', euros: 40 }));
  const parked = await clerk.run('Settle it.', { model, deps, durability: { ledger } });
  assert.ok(parked.status === 'parked');
  const results = parked.output.buildResults({ approveAll: true });
  const resume = (through: Ledger) =>
    clerk
      .resume(parked, results, {
        deps,
        durability: { ledger: through },
        model: scriptedModel(says('Paid.')),
      })
      .catch(() => {});

  const first = resume(faulty);
  await Promise.race([first, faulty.struck]);
  await resume(ledger); // somebody else tries …
  faulty.resume(); // … and the first one comes back
  await first;
  return { paid: deps.paid, operations: faulty.operations };
}
// #endregion

// #region ledger
const open = () => {
  const clock = fakeClock();
  return { ledger: new MemoryLedger({ now: () => clock.now() }), clock }; // put yours here
};
describeLedger('my ledger', { open }, { describe, it });
// #endregion
