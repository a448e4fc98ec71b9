import assert from 'node:assert/strict';
import { Agent } from 'holdpoint';
import { says, scriptedModel } from 'holdpoint/testing';

const agent = new Agent({
  model: scriptedModel(says('Nice to meet you, Ada.'), says('Your name is Ada.')),
});

// #region history
import { messageCodec } from 'holdpoint';

const first = await agent.run('My name is Ada.');
const json = messageCodec.stringify(first.messages); // store it in a file or a database

const messageHistory = messageCodec.parse(json); // validated; a `Message[]`
const second = await agent.run('What is my name?', { messageHistory });
// #endregion
assert.equal(second.output, 'Your name is Ada.');
assert.equal(second.conversationId, first.conversationId);
assert.equal(second.messages.length, 4);
