import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sqliteStore } from '@holdpoint/desk';
import { deskClient } from '@holdpoint/desk/client';
import { createDesk } from '../src/desk.ts';

async function openService() {
  const tokens = { shop: 'shop-token', manager: 'manager-token' };
  const desk = createDesk(await sqliteStore(), tokens);
  const clientOf = (token: string) =>
    deskClient({
      url: 'http://127.0.0.1:3000',
      headers: { authorization: `Bearer ${token}` },
      fetch: async (request) => desk.fetch(request),
    });
  return { desk, shop: clientOf(tokens.shop), manager: clientOf(tokens.manager), clientOf };
}

test('a manager approves a refund that the shop requested', async () => {
  const { desk, shop, manager } = await openService();
  const { id } = await shop.start({ agent: 'support', prompt: 'Please refund order 42.' });
  await desk.drain();

  const [hold] = (await manager.holds({ mine: true })).items;
  assert.ok(hold);
  await manager.decide(hold.id, { digest: hold.digest, decision: { kind: 'approve' } });
  await desk.drain();

  assert.equal((await shop.run(id)).output, 'refund: Refunded €80 for order 42.');
  await desk.close();
});

test('the shop cannot approve a refund', async () => {
  const { desk, shop } = await openService();
  await shop.start({ agent: 'support', prompt: 'Please refund order 42.' });
  await desk.drain();

  const [hold] = (await shop.holds()).items;
  assert.ok(hold);
  const { id, digest } = hold;
  const deciding = shop.decide(id, { digest, decision: { kind: 'approve' } });

  await assert.rejects(deciding, { code: 'may-not-decide' });
  await desk.close();
});

test('a caller without a token is rejected', async () => {
  const { desk, clientOf } = await openService();

  await assert.rejects(clientOf('wrong').holds(), { status: 401 });
  await desk.close();
});
