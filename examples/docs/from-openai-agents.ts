// The Holdpoint side of docs/from-openai-agents.md.
import assert from 'node:assert/strict';
import {
  Agent,
  type DecisionEntry,
  DeferredToolRequests,
  messageCodec,
  requestsFromMessages,
  tool,
} from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const deleted: string[] = [];
const model = scriptedModel(
  calls('ask_janitor', { prompt: 'Delete a.txt.' }),
  calls('delete_file', { path: 'a.txt' }),
  says('Deleted.'),
  says('Done.'),
);
let stored = '';
const save = (text: string) => {
  stored = text;
};

// #region park
const deleteFile = tool({
  name: 'delete_file',
  description: 'Deletes a file.',
  inputSchema: z.object({ path: z.string() }),
  requiresApproval: true,
  execute: ({ path }) => {
    deleted.push(path);
    return `${path} deleted`;
  },
});
const janitor = new Agent({ name: 'janitor', model, tools: [deleteFile] });
const lead = new Agent({
  name: 'lead',
  model,
  tools: [janitor.asTool({ name: 'ask_janitor' })],
  output: [String, DeferredToolRequests],
});

const first = await lead.run('Tidy up.');
save(messageCodec.stringify(first.messages));
// #endregion
assert.equal(first.status, 'parked');
assert.deepEqual(deleted, []);

// #region resume
const messages = messageCodec.parse(stored); // later, in another process
const requests = requestsFromMessages(messages);
if (requests !== undefined) {
  const decisions: DecisionEntry[] = [];
  for (const call of requests) {
    const agents = call.path.map(({ toolName }) => toolName);
    console.log(agents.join(' > '), call.toolName, call.args);
    decisions.push(call.approve());
  }
  const done = await lead.resume({ messages }, requests.buildResults(decisions));
  console.log(done.output);
}
// #endregion
assert.deepEqual(deleted, ['a.txt']);
assert.equal(model.remaining, 0);
