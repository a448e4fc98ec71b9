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

// The code under test.
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
test('pays a bill only after an approver approved it', async () => {
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
test('receives arguments as JSON text, as in production', async () => {
  const model = scriptedModel(calls('pay', { to: 'ACME', euros: 40 }));

  const parked = await clerk.run('Settle it.', { model, deps: bank() });

  assert.ok(parked.status === 'parked');
  const [call] = parked.output;
  assert.equal(call?.part.args, '{"to":"ACME","euros":40}');
  assert.deepEqual(call?.args, { to: 'ACME', euros: 40 });
});
// #endregion

// #region denial
test('sends the reason of a denial to the model', async () => {
  const deps = bank();
  const model = scriptedModel(calls('pay', { to: 'ACME', euros: 40 }), says('Not paid.'));
  const deny = approver.byTool({ pay: new ToolDenied('Try again on Monday.') });

  await clerk.run('Settle it.', { model, deps, deferredToolHandler: deny });

  const [, second] = model.calls;
  const part = second?.messages.at(-1)?.parts[0];
  assert.ok(part?.kind === 'tool-return' && part.outcome === 'denied');
  assert.equal(part.content, 'Try again on Monday.');
});
// #endregion

// #region hostile
test('rejects forged, duplicate and mismatched results', async () => {
  const deps = bank();
  const model = scriptedModel(calls('pay', { to: 'ACME', euros: 40 }));
  const parked = await clerk.run('Settle it.', { model, deps });
  assert.ok(parked.status === 'parked');

  const approve = approver.approveAll();
  for (const corrupt of [approver.forged, approver.duplicated, approver.swapped]) {
    const results = corrupt(approve)(parked.output);
    await assert.rejects(clerk.resume(parked, results, { deps }), UserError);
  }
  assert.deepEqual(deps.paid, []);
});
// #endregion

// #region models
const byFunction = functionModel(({ messages }) => `You have sent ${messages.length} message(s).`);
const smokeTest = new TestModel(); // calls every tool once, with valid arguments
// #endregion

test('other test models', async () => {
  const deps = bank();
  const counted = await clerk.run('Hello.', { model: byFunction, deps });
  assert.equal(counted.output, 'You have sent 1 message(s).');
  const tried = await clerk.run('Hello.', { model: smokeTest, deps });
  assert.equal(tried.status, 'parked');
});

// #region clock
test('stops a tool after its timeout', async () => {
  const clock = fakeClock();
  const stuck = tool({ name: 'stuck', timeout: 5_000, execute: () => new Promise(() => {}) });
  const model = scriptedModel(calls('stuck'), calls('stuck'));
  const agent = new Agent({ model, tools: [stuck], environment: clock });

  const failed = assert.rejects(agent.run('Start.'), UnexpectedModelBehavior);
  await clock.advance(5_000); // the first call
  await clock.advance(5_000); // the retry
  await failed;
});
// #endregion

// #region replay
test('replays a recorded run without calling its model and tools', async () => {
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
    model: scriptedModel(), // fails if it is called
    environment: replayingEnvironment(recorder.recording),
  });

  assert.deepEqual(again.messages, live.messages);
  assert.deepEqual(deps.paid, ['ACME 40'], 'one payment');
});
// #endregion

// #region faults
test('pays a bill at most once, whenever the ledger fails', async () => {
  const clean = await resumeTwice();
  assert.deepEqual(clean.paid, ['ACME 40']);

  for (const fault of everyFault(clean.operations)) {
    const { paid } = await resumeTwice(fault);
    assert.ok(paid.length <= 1, `paid twice with ${JSON.stringify(fault)}`);
  }
});

/** Parks a run, resumes it with a failing ledger, and resumes it again with a working one. */
async function resumeTwice(fault?: LedgerFault) {
  const deps = bank();
  const ledger = new MemoryLedger();
  const faulty = faultyLedger(ledger, fault);
  const model = scriptedModel(calls('pay', { to: 'ACME', euros: 40 }));
  const parked = await clerk.run('Settle it.', { model, deps, durability: { ledger } });
  assert.ok(parked.status === 'parked');
  const results = parked.output.buildResults({ approveAll: true });
  const resume = (used: Ledger) =>
    clerk
      .resume(parked, results, {
        deps,
        durability: { ledger: used },
        model: scriptedModel(says('Paid.')),
      })
      .catch(() => {});

  const first = resume(faulty);
  await Promise.race([first, faulty.struck]);
  await resume(ledger); // another process resumes the run,
  faulty.resume(); // and then the first one continues
  await first;
  return { paid: deps.paid, operations: faulty.operations };
}
// #endregion

// #region ledger
const open = () => {
  const clock = fakeClock();
  return { ledger: new MemoryLedger({ now: () => clock.now() }), clock }; // your ledger
};
describeLedger('my ledger', { open }, { describe, it });
// #endregion
