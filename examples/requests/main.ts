// A desk that approves the calls of other programs. The program, an agent of the AI SDK, is killed between its request
// and the decision, and once more after it has ended. Its call executes once, with the edit of the approver.
//
//   node --conditions=holdpoint-source examples/requests/main.ts
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { type HoldRow, openDesk, sqliteStore } from '@holdpoint/desk';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-requests-'));
const journal = join(folder, 'journal');
const conversation = join(folder, 'conversation.json');

// #region desk
const desk = openDesk({
  store: await sqliteStore(),
  agents: {},
  requests: {
    tools: {
      refund: {
        title: 'Refund',
        approvers: ({ args }) => ({
          roles: ['cashier'],
          count: Number(Object(args).euros) >= 1_000 ? 2 : 1,
          notRequester: true,
        }),
        schema: {
          type: 'object',
          properties: { order: { type: 'string' }, euros: { type: 'number', maximum: 5_000 } },
          required: ['order', 'euros'],
          additionalProperties: false,
        },
      },
    },
  },
});
// A worker expires requests, and opens a hold when an executor has died.
void desk.startWorker();
// #endregion

// #region key
const { key } = await desk.keys.create({
  account: 'shop',
  scopes: ['request'],
  by: { id: 'ada' },
});
// #endregion

const server = serve({ fetch: desk.fetch, port: 0, hostname: '127.0.0.1' });
await once(server, 'listening');
// A server that listens at a port has an address of this form.
const { port } = server.address() as AddressInfo;

/** Starts the program. */
function startAgent() {
  const program = fileURLToPath(new URL('agent.ts', import.meta.url));
  const environment = {
    HOLDPOINT_URL: `http://127.0.0.1:${port}`,
    HOLDPOINT_KEY: key,
    JOURNAL: journal,
  };
  return spawn(process.execPath, [...process.execArgv, program, conversation], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Runs the program until it ends. */
async function runAgent(): Promise<string> {
  const child = startAgent();
  let printed = '';
  child.stdout.on('data', (text) => {
    printed += String(text);
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  return printed.trim();
}

async function openHold(): Promise<HoldRow> {
  for (;;) {
    const [hold] = (await desk.holds()).items;
    if (hold !== undefined) return hold;
    await sleep(50);
  }
}

try {
  const first = startAgent();
  const hold = await openHold();
  first.kill('SIGKILL');
  await once(first, 'exit');
  assert.ok(existsSync(conversation));

  const { id, digest } = hold;
  const cashier = { by: { id: 'grace' }, roles: ['cashier'] };
  const args = { order: '17', euros: 15 };
  const { shown } = await desk.previewEdit(id, args);
  await desk.decide(id, { kind: 'approve', args }, { ...cashier, digest, shown });
  // Separation of duties: the author of an edit does not approve it.
  const edited = await desk.hold(id);
  const other = { by: { id: 'linus' }, roles: ['cashier'] };
  await desk.decide(id, { kind: 'approve' }, { ...other, digest: edited.digest });

  assert.equal(await runAgent(), 'The refund is on its way.');
  // This process has an old copy of the conversation, with the approval request as its end.
  assert.equal(await runAgent(), 'The refund is on its way.');
  assert.deepEqual(readFileSync(journal, 'utf8').trim().split('\n'), [JSON.stringify(args)]);
} finally {
  server.close();
  await desk.close();
  rmSync(folder, { recursive: true });
}
