// The history is the state: store it as JSON, and continue from it, even after a failure.
import assert from 'node:assert/strict';
import { Agent, captureRunMessages, InvalidJsonError, messageCodec, tool } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

// 1. A second run continues the messages of the first, which were stored as JSON.
{
  const agent = new Agent({
    model: scriptedModel(says('Hello, Ada.'), says('Your name is Ada.')),
    instructions: 'Be brief.',
  });

  const first = await agent.run('I am Ada.');
  const stored = messageCodec.stringify(first.messages);
  const second = await agent.run('Who am I?', { messageHistory: messageCodec.parse(stored) });

  assert.equal(second.output, 'Your name is Ada.');
  assert.equal(second.newMessages.length, 2, 'what the second run added');
  assert.equal(second.messages.length, 4, 'the whole conversation');
  assert.equal(second.conversationId, first.conversationId);
  assert.notEqual(second.runId, first.runId);
}

// 2. Untrusted JSON is validated, and the error names the invalid part.
{
  const broken = JSON.stringify([{ kind: 'request', parts: [{ kind: 'user-prompt' }] }]);

  assert.throws(
    () => messageCodec.parse(broken),
    (error) => error instanceof InvalidJsonError && error.path === 'messages[0].parts[0].content',
  );
}

// 3. The history of a failed run is available. It contains the results of finished tools, so a new
// run can continue from it.
{
  let online = false;
  const count = tool({ name: 'count', execute: () => 3 });
  const save = tool({
    name: 'save',
    inputSchema: z.object({ text: z.string() }),
    execute() {
      if (!online) throw new Error('The disk is gone.');
      return 'saved';
    },
  });
  const agent = new Agent({
    model: scriptedModel(
      responds(calls('count'), calls('save', { text: 'three' })),
      calls('save', { text: 'three' }),
      says('There are 3, and that is saved.'),
    ),
    tools: [count, save],
  });

  const captured = await captureRunMessages(() =>
    agent.run('Count them and save it.', { parallelMode: 'sequential' }),
  );
  assert.ok(captured.status === 'rejected');
  assert.match(String(captured.reason), /The disk is gone/);
  assert.equal(captured.messages.at(-1)?.state, 'interrupted');

  online = true;
  const done = await agent.run('Try again.', { messageHistory: captured.messages });
  assert.equal(done.output, 'There are 3, and that is saved.');
}

// 4. A history processor changes the messages for the model. This form receives only new messages.
{
  const model = scriptedModel(says('Understood.'));
  const agent = new Agent({
    model,
    historyProcessors: [
      {
        onNew: (messages) =>
          JSON.parse(JSON.stringify(messages).replaceAll(/\d{4}-\d{4}/g, '…')) as typeof messages,
      },
    ],
  });

  const { messages } = await agent.run('My card is 1234-5678.');

  assert.doesNotMatch(JSON.stringify(model.calls[0]?.messages), /1234/);
  assert.doesNotMatch(JSON.stringify(messages), /1234/);
}

console.log('The conversation continues.');
