import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolCallPart } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
// #region two-phase
import { rm } from 'node:fs/promises';
import { openai } from '@ai-sdk/openai';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { z } from 'zod';

const inputSchema = z.object({ path: z.string() });
const deleteFile = tool({ inputSchema, requiresApproval: true, execute: ({ path }) => rm(path) });

const output = [String, DeferredToolRequests] as const;
const agent = new Agent({ model: openai('gpt-5'), tools: { delete_file: deleteFile }, output });
// #endregion

/** A person somewhere, who takes the time that it takes. */
async function askSomebody(waiting: readonly ToolCallPart[]): Promise<Record<string, boolean>> {
  assert.ok(existsSync('a.txt'), 'nothing happens before the answer');
  return Object.fromEntries(waiting.map((call) => [call.toolCallId, true]));
}

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'));
process.chdir(folder);
writeFileSync('a.txt', 'Hello.');
const model = scriptedModel(calls('delete_file', { path: 'a.txt' }), says('It is gone.'));

await agent.override({ model }, async () => {
  // #region two-phase
  const parked = await agent.run('Delete a.txt.');
  if (parked.status === 'parked') {
    const approvals = await askSomebody(parked.output.approvals); // true or false, by call id
    await agent.resume(parked, parked.output.buildResults({ approvals })); // now it is deleted
  }
  // #endregion
});

assert.equal(model.remaining, 0);
assert.ok(!existsSync('a.txt'));
process.chdir(tmpdir());
rmSync(folder, { recursive: true });
