import assert from 'node:assert/strict';
import { Agent, tool } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';

const clock = tool({ name: 'clock', execute: () => '12:00' });
const agent = new Agent({
  model: scriptedModel(
    says('It is noon.', { chunks: ['It ', 'is ', 'noon.'] }),
    calls('clock'),
    says('Still noon.', { chunks: ['Still ', 'noon.'] }),
  ),
  tools: [clock],
});

// #region text
const stream = agent.stream('What time is it?');
for await (const text of stream.textStream) process.stdout.write(text);
const { messages } = await stream.result;
// #endregion
console.log();
assert.equal(messages.length, 2);

// #region events
for await (const event of agent.stream('And now?', { messageHistory: messages })) {
  if (event.kind === 'tool-call') console.log('calls', event.part.toolName);
  if (event.kind === 'tool-result') console.log('got', event.part.content);
  if (event.kind === 'run-result') console.log(event.result.output);
}
// #endregion
