// A file that `holdpoint desk` serves. The program also opens it, to show that it is valid.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDesk } from '@holdpoint/desk';
import { Agent, DeferredToolRequests } from 'holdpoint';
import { says, scriptedModel } from 'holdpoint/testing';
// #region file
import { sqliteStore } from '@holdpoint/desk';
// #endregion

const agent = new Agent({
  model: scriptedModel(says('Hello.')),
  output: [String, DeferredToolRequests],
});
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'));
process.chdir(folder);

// #region file
const store = await sqliteStore({ path: 'desk.db' });

export default { store, agents: { support: { agent } } };
// #endregion

const desk = openDesk({ store, agents: { support: { agent } } });
const runId = await desk.start('support', 'Hello?');
assert.equal((await desk.work({ runId })).output, 'Hello.');
await desk.close();
process.chdir(tmpdir());
rmSync(folder, { recursive: true });
