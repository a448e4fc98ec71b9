// The code of docs/operate/back-up.md: a backup of a SQLite file, and a restore.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
// #region back-up
import { backup, DatabaseSync } from 'node:sqlite';
// #endregion

let paid = 0;
const pay = tool({
  name: 'pay',
  requiresApproval: true,
  execute: () => {
    paid += 1;
    return 'paid';
  },
});
const model = functionModel(({ messages }) =>
  messages.length === 1 ? responds(calls('pay', {})) : says('Done.'),
);
const agents = {
  support: { agent: new Agent({ model, tools: [pay] }) },
};
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'));
const path = join(folder, 'desk.sqlite');
const desk = openDesk({ store: await sqliteStore({ path }), agents, onError() {} });
const runId = await desk.start('support', 'Pay the bill.');
await desk.drain();

// #region back-up
const source = new DatabaseSync(path, { readOnly: true });
await backup(source, `${path}.backup`);
source.close();
// #endregion

const [hold] = (await desk.holds()).items;
assert.ok(hold !== undefined);
const by = { id: 'ada' };
await desk.decide(hold.id, { kind: 'approve' }, { by, digest: hold.digest });
await desk.drain();
assert.equal(paid, 1);
await desk.close();

for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
copyFileSync(`${path}.backup`, path);
const store = await sqliteStore({ path });

// #region restored
const restored = openDesk({ store, agents, onError() {} });
await restored.markRestoredFromBackup(); // before a worker starts
// #endregion

await restored.decide(hold.id, { kind: 'approve' }, { by, digest: hold.digest });
await restored.drain();
assert.equal(paid, 1);
assert.equal((await restored.run(runId)).error?.code, 'step-forgotten');
await restored.close();
rmSync(folder, { recursive: true });
