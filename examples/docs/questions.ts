// Questions of tools and models, for docs/questions.md.
import assert from 'node:assert/strict';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import {
  Agent,
  askUser,
  DeferredToolRequests,
  InputRequired,
  messageCodec,
  requestsFromMessages,
  tool,
} from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

{
  // #region tool
  const Account = z.object({ account: z.enum(['business', 'private']) });

  const transfer = tool({
    name: 'transfer',
    inputSchema: z.object({ euros: z.number() }),
    execute({ euros }, ctx) {
      if (ctx.input === undefined) {
        throw new InputRequired({ message: `Which account pays ${euros} euros?`, schema: Account });
      }
      const { account } = Account.parse(ctx.input);
      return `${euros} euros paid from the ${account} account`;
    },
  });
  // #endregion
  const model = scriptedModel(calls('transfer', { euros: 5 }), says('Paid.'));
  // #region park
  const agent = new Agent({ model, tools: [transfer], output: [String, DeferredToolRequests] });
  const parked = await agent.run('Pay the invoice.');
  // #endregion
  assert.equal(parked.status, 'parked');
  const stored = messageCodec.stringify(parked.messages);
  const shown: string[] = [];
  // #region respond
  const messages = messageCodec.parse(stored);
  const requests = requestsFromMessages(messages) ?? new DeferredToolRequests({});
  const responses = [...requests].map((call) => {
    shown.push(`${call.kind}: ${call.question?.message}`); // the form: call.question.schema
    return call.respond({ account: 'business' });
  });
  const done = await agent.resume({ messages }, requests.buildResults(responses));
  // #endregion
  assert.deepEqual(shown, ['question: Which account pays 5 euros?']);
  assert.equal(done.output, 'Paid.');
}

{
  // #region several
  const register = tool({
    name: 'register',
    execute(_args, ctx) {
      const [name, age] = ctx.inputs;
      if (name === undefined) throw new InputRequired('What is your name?');
      if (age === undefined) {
        throw new InputRequired({ message: 'How old are you?', schema: { type: 'integer' } });
      }
      return `${String(name)} (${String(age)}) is registered`;
    },
  });
  // #endregion
  const inputs = ['Ada', 36];
  const agent = new Agent({
    model: scriptedModel(calls('register', {}), says('Welcome.')),
    tools: [register],
    output: [String, DeferredToolRequests],
  });
  let result = await agent.run('Register me.');
  while (result.status === 'parked') {
    const [input = ''] = inputs.splice(0, 1);
    const responses = [...result.output].map((call) => call.respond(input));
    result = await agent.resume(result, result.output.buildResults(responses));
  }
  assert.equal(result.output, 'Welcome.');
}

{
  const model = scriptedModel(
    calls('ask_user', { question: 'Which color?', options: ['red', 'blue'] }),
    says('Blue it is.'),
  );
  // #region ask-user
  const agent = new Agent({ model, tools: [askUser()] });
  const { output } = await agent.run('Paint the door.', {
    deferredToolHandler: (requests) =>
      requests.buildResults([...requests].map((call) => call.respond('blue'))),
  });
  // #endregion
  assert.equal(output, 'Blue it is.');
}

{
  const model = scriptedModel(
    calls('ask_user', { question: 'Which color?', options: ['red', 'blue'] }),
    says('Blue it is.'),
  );
  const agent = new Agent({
    model,
    tools: [askUser()],
    output: [String, DeferredToolRequests],
  });
  const desk = openDesk({ store: await sqliteStore(), agents: { clerk: { agent } } });
  const ada = { id: 'ada' };
  // #region desk
  const runId = await desk.start('clerk', 'Paint the door.', { requester: ada });
  await desk.work({ runId }); // parks
  const [hold = assert.fail()] = (await desk.holds({ runId })).items; // kind: 'question'
  const { id, digest } = hold;
  await desk.decide(id, { kind: 'input', value: 'blue' }, { by: ada, digest });
  const run = await desk.work({ runId });
  // #endregion
  assert.equal(hold.question?.message, 'Which color?');
  assert.equal(run?.output, 'Blue it is.');
  await desk.close();
}
