import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calls, says, scriptedModel } from 'holdpoint/testing';
// #region inline
import { rm } from 'node:fs/promises';
import { openai } from '@ai-sdk/openai';
import { Agent, decideByRules, tool } from 'holdpoint';
import { z } from 'zod';

const inputSchema = z.object({ path: z.string() });
const deleteFile = tool({ inputSchema, requiresApproval: true, execute: ({ path }) => rm(path) });

const ask = decideByRules([
  { tool: 'delete_file', decision: (_, args) => confirm('Delete', args) },
]);
const agent = new Agent({ model: openai('gpt-5'), tools: { delete_file: deleteFile } });
// #endregion

const asked: unknown[] = [];

/** A person at the terminal. */
async function confirm(question: string, args: unknown): Promise<boolean> {
  asked.push(question, args);
  assert.ok(existsSync('a.txt'), 'nothing happens before the answer');
  return true;
}

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'));
process.chdir(folder);
writeFileSync('a.txt', 'Hello.');
const model = scriptedModel(calls('delete_file', { path: 'a.txt' }), says('It is gone.'));

await agent.override({ model }, async () => {
  // #region inline
  const { output } = await agent.run('Delete a.txt.', { deferredToolHandler: ask });
  // #endregion
  assert.equal(output, 'It is gone.');
});

assert.deepEqual(asked, ['Delete', { path: 'a.txt' }]);
assert.ok(!existsSync('a.txt'));
process.chdir(tmpdir());
rmSync(folder, { recursive: true });
