// A snippet of docs/chat-ui.md that examples/ag-ui does not contain.
import assert from 'node:assert/strict';
import { Agent } from 'holdpoint';
import { agUiEvents } from 'holdpoint/ag-ui';
import { says, scriptedModel } from 'holdpoint/testing';

const agent = new Agent({ model: scriptedModel(says('Hello.')) });
const input = { threadId: 'thread-1', runId: 'run-1', protocolVersion: '1.0' };
const types: string[] = [];
const send = ({ type }: { type: string }) => types.push(type);

// #region events
const { threadId, runId, protocolVersion } = input;
const stream = agent.stream('Hello.', { events: { subAgents: true } });
for await (const event of agUiEvents(stream, { threadId, runId, protocolVersion })) send(event);
// #endregion
assert.deepEqual(types, [
  'RUN_STARTED',
  'TEXT_MESSAGE_START',
  'TEXT_MESSAGE_CONTENT',
  'TEXT_MESSAGE_END',
  'RUN_FINISHED',
]);
