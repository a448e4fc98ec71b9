// Testing code that uses an agent, without a provider and without waiting: scripts, smoke tests,
// time, recordings. Each part can be a test of any runner. For approvals see testing-approvals.ts.
//
//   npx tsx --conditions=holdpoint-source examples/testing-an-agent.ts
import assert from 'node:assert/strict';
import { Agent, type RunContext, tool, UnexpectedModelBehavior } from 'holdpoint';
import {
  calls,
  fakeClock,
  functionModel,
  recordingEnvironment,
  replayingEnvironment,
  says,
  scriptedModel,
  TestModel,
} from 'holdpoint/testing';
import { z } from 'zod';

/** The code under test, which sends mail with an agent. */
interface Outbox {
  send(to: string, text: string): void;
}

const sendMail = tool({
  name: 'send_mail',
  inputSchema: z.object({ to: z.email(), text: z.string() }),
  timeout: 5_000,
  execute({ to, text }, ctx: RunContext<Outbox>) {
    ctx.deps.send(to, text);
    return 'sent';
  },
});

const secretary = new Agent({ model: 'openai:gpt-5', tools: [sendMail], retries: 2 });

async function handle(order: string, outbox: Outbox): Promise<string> {
  return (await secretary.run(order, { deps: outbox })).output;
}

function makeOutbox(): Outbox & { readonly sent: string[] } {
  const sent: string[] = [];
  return { sent, send: (to, text) => void sent.push(`${to}: ${text}`) };
}

// 1. A script: the responses of the model, one after the other. `override` reaches the agent inside the code
//    under test.
{
  const outbox = makeOutbox();
  const model = scriptedModel(
    calls('send_mail', { to: 'ada', text: 'Hi' }), // not an address
    calls('send_mail', { to: 'ada@example.com', text: 'Hi' }),
    says('Done.'),
  );

  const text = await secretary.override({ model }, () => handle('Greet Ada.', outbox));

  assert.equal(text, 'Done.');
  assert.deepEqual(outbox.sent, ['ada@example.com: Hi']);
  const [, second] = model.calls;
  assert.equal(second?.messages.at(-1)?.parts[0]?.kind, 'retry-prompt');
}

// 2. A function: responses that depend on the messages.
{
  const echo = functionModel(({ messages }) => `You have sent ${messages.length} message(s).`);
  const text = await secretary.override({ model: echo }, () => handle('Hello.', makeOutbox()));

  assert.equal(text, 'You have sent 1 message(s).');
}

// 3. The test model calls every tool once, with arguments that fit the schema: a smoke test that
//    needs no script. `model: 'test'` does the same.
{
  const outbox = makeOutbox();
  await secretary.override({ model: new TestModel() }, () => handle('Do anything.', outbox));

  assert.equal(outbox.sent.length, 1);
}

// 4. The clock is fake and advances only in the test, so a timeout of seconds passes immediately.
{
  const clock = fakeClock();
  const stuck = tool({ name: 'stuck', timeout: 60_000, execute: () => new Promise(() => {}) });
  const agent = new Agent({
    model: scriptedModel(calls('stuck'), calls('stuck')),
    tools: [stuck],
    environment: clock,
  });

  const failed = assert.rejects(agent.run('Go.'), UnexpectedModelBehavior);
  await clock.advance(60_000);
  await clock.advance(60_000);
  await failed;
}

// 5. A recorded run is replayed without model requests and tool executions.
{
  const recorder = recordingEnvironment();
  const outbox = makeOutbox();
  const model = scriptedModel(
    calls('send_mail', { to: 'ada@example.com', text: 'Hi' }),
    says('Ok.'),
  );
  const live = await secretary.run('Go.', { deps: outbox, model, environment: recorder });

  const replay = replayingEnvironment(recorder.recording);
  const again = await secretary.run('Go.', { deps: outbox, model, environment: replay });

  assert.deepEqual(again.messages, live.messages);
  assert.equal(model.calls.length, 2, 'only the first run requested the model');
  assert.equal(outbox.sent.length, 1, 'and one mail was sent');
}

console.log('Tested without a provider.');
