import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DecisionEntry, PendingCall } from 'holdpoint';
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

/** Replaces an approver, who may need days. */
async function askApprover(call: PendingCall): Promise<DecisionEntry> {
  assert.ok(existsSync('a.txt'), 'the call does not execute before the decision');
  return call.approve();
}

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'));
process.chdir(folder);
writeFileSync('a.txt', 'Hello.');
const model = scriptedModel(calls('delete_file', { path: 'a.txt' }), says('The file is deleted.'));

await agent.override({ model }, async () => {
  // #region two-phase
  const parked = await agent.run('Delete a.txt.');
  if (parked.status === 'parked') {
    const decisions = await Promise.all([...parked.output].map(askApprover));
    await agent.resume(parked, parked.output.buildResults(decisions)); // deletes the file
  }
  // #endregion
});

assert.equal(model.remaining, 0);
assert.ok(!existsSync('a.txt'));
process.chdir(tmpdir());
rmSync(folder, { recursive: true });
