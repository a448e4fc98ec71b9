// The program that docs/from-pydantic-ai.md shows in both languages.
import assert from 'node:assert/strict';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const model = scriptedModel(calls('delete_file', { path: 'a.txt' }), says('It is deleted.'));

// #region same
const deleteFile = tool({
  name: 'delete_file',
  inputSchema: z.object({ path: z.string() }),
  requiresApproval: true,
  execute: ({ path }) => `File '${path}' deleted`,
});
const agent = new Agent({
  model: 'openai:gpt-5',
  tools: [deleteFile],
  output: [String, DeferredToolRequests],
});
// #endregion

await agent.override({ model }, async () => {
  // #region same
  let result = await agent.run('Delete a.txt');
  if (result.status === 'parked') {
    const results = result.output.buildResults({ approveAll: true });
    result = await agent.resume(result, results);
  }
  console.log(result.output);
  // #endregion
  assert.equal(result.output, 'It is deleted.');
});
