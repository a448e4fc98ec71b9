import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DecisionEntry, PendingCall } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
// #region inline
import { rm } from 'node:fs/promises';
import { openai } from '@ai-sdk/openai';
import { Agent, type DeferredToolHandler, tool } from 'holdpoint';
import { z } from 'zod';

const inputSchema = z.object({ path: z.string() });
const deleteFile = tool({ inputSchema, requiresApproval: true, execute: ({ path }) => rm(path) });
const agent = new Agent({ model: openai('gpt-5'), tools: { delete_file: deleteFile } });

const ask: DeferredToolHandler = async (requests) =>
  requests.buildResults(await Promise.all([...requests].map(askUser)));
// #endregion

const shown: unknown[] = [];

/** Replaces a user at the terminal, who approves. */
async function askUser(call: PendingCall): Promise<DecisionEntry> {
  shown.push(call.toolName, call.args);
  assert.ok(existsSync('a.txt'), 'the call does not execute before the decision');
  return call.approve();
}

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'));
process.chdir(folder);
writeFileSync('a.txt', 'Hello.');
const model = scriptedModel(calls('delete_file', { path: 'a.txt' }), says('The file is deleted.'));

await agent.override({ model }, async () => {
  // #region inline
  const { output } = await agent.run('Delete a.txt.', { deferredToolHandler: ask });
  // #endregion
  assert.equal(output, 'The file is deleted.');
});

assert.deepEqual(shown, ['delete_file', { path: 'a.txt' }]);
assert.ok(!existsSync('a.txt'));
process.chdir(tmpdir());
rmSync(folder, { recursive: true });
