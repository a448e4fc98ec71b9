// Approval in the terminal. Without a terminal, no call is executed. `npm start` shows more: packages/cli/src/demo.
import assert from 'node:assert/strict';
import { terminalHandler } from '@holdpoint/cli';
import { Agent, tool } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const model = scriptedModel(
  calls('delete_file', { path: 'old.log' }),
  says('The file is deleted.'),
);
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
  await assert.rejects(agent.run('Tidy up.'), /There is no terminal/);
  assert.deepEqual(deleted, []);
  console.log('There is no terminal, and no call was executed.');
}
