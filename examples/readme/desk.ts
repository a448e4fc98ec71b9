import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
// #region desk
import { openDesk, sqliteStore } from '@holdpoint/desk';
// #endregion

const inputSchema = z.object({ path: z.string() });
const deleteFile = tool({ inputSchema, requiresApproval: true, execute: ({ path }) => rm(path) });

const model = scriptedModel(calls('delete_file', { path: 'a.txt' }), says('The file is deleted.'));
const output = [String, DeferredToolRequests] as const;
const agent = new Agent({ model, tools: { delete_file: deleteFile }, output });

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'));
process.chdir(folder);
writeFileSync('a.txt', 'Hello.');

// #region desk
const store = await sqliteStore({ path: 'desk.db' });
const desk = openDesk({ store, agents: { janitor: { agent } } });

await desk.start('janitor', 'Delete a.txt.', { requester: { id: 'ada' } }); // stores the run
await desk.drain(); // executes the run until it parks; the process may exit now

const { items } = await desk.holds(); // a week later, in any process: show them to an approver
for (const { id, digest } of items) {
  await desk.decide(id, { kind: 'approve' }, { by: { id: 'grace' }, digest });
}
// #endregion

assert.equal(items.length, 1);
assert.ok(existsSync('a.txt'), 'a decision is only stored');
// #region desk
await desk.drain(); // resumes the run and deletes the file, once
// #endregion
assert.equal(model.remaining, 0);
assert.ok(!existsSync('a.txt'));
await store.close();
process.chdir(tmpdir());
rmSync(folder, { recursive: true });
