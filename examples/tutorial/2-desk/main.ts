// Step 2: a desk on SQLite with a chat page and an inbox. The process is replaced before the approval.
//
//   npx tsx --conditions=holdpoint-source examples/tutorial/2-desk/main.ts          checks itself
//   npx tsx --conditions=holdpoint-source examples/tutorial/2-desk/main.ts serve    for a browser
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sqliteStore } from '@holdpoint/desk';
import { GRACE, openShopDesk, shopChat, shopWith } from './desk.ts';

const [command, given] = process.argv.slice(2);
const folder = given ?? mkdtempSync(join(tmpdir(), 'holdpoint-tutorial-'));
const journal = join(folder, 'payments.txt');
const store = await sqliteStore({ path: join(folder, 'desk.db') });
const desk = openShopDesk(store, shopWith(journal));

if (command === 'serve') await serve();
else if (command === 'ask') await ask();
else await check();

/** Serves the chat page of examples/chat-ui, and the inbox. */
async function serve(): Promise<void> {
  const { startServer } = await import('../../chat-ui/server.ts');
  const working = desk.startWorker();
  const { server, url } = await startServer({ chat: shopChat(desk), desk });
  console.log(`Open ${url} and write: Please refund order 42. Approve it in ${url}/desk/inbox.`);
  await once(process, 'SIGINT');
  server.close();
  await desk.close();
  await working;
}

/** The first process: Ada writes in the chat, and the run parks. */
async function ask(): Promise<void> {
  const working = desk.startWorker();
  const response = await shopChat(desk)(
    new Request('http://127.0.0.1/api/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        id: 'first',
        trigger: 'submit-message',
        messages: [
          { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Please refund order 42.' }] },
        ],
      }),
    }),
  );
  assert.equal(response.status, 200);
  assert.match(await response.text(), /look_up_order[^]*refund/);
  await desk.close();
  await working;
}

/** The second process: Grace approves the refund that the first one parked. */
async function check(): Promise<void> {
  // The first process ends completely. It could also be killed.
  const program = fileURLToPath(import.meta.url);
  execFileSync(process.execPath, [...process.execArgv, program, 'ask', folder]);
  assert.equal(existsSync(journal), false);

  // #region decide
  const [hold] = (await desk.holds()).items;
  assert.equal(hold?.preview, 'Refund €400 for order 42');
  const { id, digest } = hold;

  const byAda = desk.decide(id, { kind: 'approve' }, { by: { id: 'ada' }, digest });
  await assert.rejects(byAda, { code: 'may-not-decide' });

  await desk.decide(id, { kind: 'approve' }, { by: GRACE, roles: ['manager'], digest });
  await desk.drain();
  // #endregion
  assert.equal((await desk.run(hold.runId)).output, 'Refunded €400 for order 42.');
  assert.equal(readFileSync(journal, 'utf8'), '42: 400\n');
  await desk.close();
  rmSync(folder, { recursive: true });
  console.log('One process parked the run. Another one paid 400 euros once, after Grace approved.');
}
