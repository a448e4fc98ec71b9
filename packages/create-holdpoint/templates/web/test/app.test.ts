import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sqliteStore } from '@holdpoint/desk';
import { createApp } from '../src/app.ts';
import { createDesk } from '../src/desk.ts';

const manager = { id: 'grace' };

async function openApp() {
  const { desk } = createDesk(await sqliteStore(), 'http://127.0.0.1:3000');
  const app = createApp(desk);
  const start = async (prompt: unknown) =>
    app.request('/api/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt }),
    });
  const run = async (id: string) => (await app.request(`/api/runs/${id}`)).json();
  return { app, desk, start, run };
}

test('a refund above the limit is paid after a manager approves it', async () => {
  const { desk, start, run } = await openApp();
  const { id } = await (await start('Please refund order 42.')).json();
  await desk.drain();
  assert.deepEqual(await run(id), { state: 'parked' });

  const [hold] = (await desk.holds()).items;
  assert.ok(hold);
  assert.equal(hold.preview, 'Refund €80 for order 42');
  const { digest } = hold;
  await desk.decide(hold.id, { kind: 'approve' }, { by: manager, roles: ['manager'], digest });
  await desk.drain();

  assert.deepEqual(await run(id), {
    state: 'finished',
    output: 'refund: Refunded €80 for order 42.',
  });
  await desk.close();
});

test('a customer cannot approve a refund', async () => {
  const { desk, start } = await openApp();
  await start('Please refund order 42.');
  await desk.drain();

  const [hold] = (await desk.holds()).items;
  assert.ok(hold);
  const { digest } = hold;
  const deciding = desk.decide(hold.id, { kind: 'approve' }, { by: { id: 'ada' }, digest });

  await assert.rejects(deciding, { code: 'may-not-decide' });
  await desk.close();
});

test('the page, the inbox and the API reject invalid and unauthorized requests', async () => {
  const { app, desk, start } = await openApp();

  assert.match(await (await app.request('/')).text(), /<title>Support/);
  assert.equal((await start('')).status, 400);
  assert.equal((await app.request('/api/runs', { method: 'POST', body: '{}' })).status, 415);
  assert.equal((await app.request('/v1/holds')).status, 401);
  await desk.close();
});
