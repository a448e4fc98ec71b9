// Calls that are asked about in the terminal. Where there is none, nobody is asked and nothing runs.
// `npm start` has more to show: packages/cli/src/demo.
import assert from 'node:assert/strict';
import { terminalHandler } from '@holdpoint/cli';
import { Agent, tool } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const model = scriptedModel(calls('delete_file', { path: 'old.log' }), says('It is gone.'));
const deleted: string[] = [];

// #region handler
const deleteFile = tool({
  name: 'delete_file',
  inputSchema: z.object({ path: z.string() }),
  requiresApproval: true,
  execute({ path }) {
    deleted.push(path);
    return 'deleted';
  },
});
const agent = new Agent({ model, tools: [deleteFile], deferredToolHandler: terminalHandler() });
// #endregion

if (process.stdin.isTTY && process.stdout.isTTY) {
  const { output } = await agent.run('Tidy up.');
  console.log(output, deleted);
} else {
  await assert.rejects(agent.run('Tidy up.'), /Nobody can be asked/);
  assert.deepEqual(deleted, []);
  console.log('Nobody is there, and nothing has run.');
}
