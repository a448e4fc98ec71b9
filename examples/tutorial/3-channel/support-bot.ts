// The support bot with its channel, and a complete round: a request, a message, a decision, and a payment.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@holdpoint/desk';
import { ADA, openShopDesk, shopWith } from '../2-desk/desk.ts';
import { openChannel, press } from './channel.ts';

/** Opens the desk of the shop on any store, with a channel that receives its pending calls. */
export async function openSupportBot(store: Store) {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-tutorial-'));
  const journal = join(folder, 'payments.txt');
  // #region webhooks
  const secret = process.env['WEBHOOK_SECRET'] || `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const channel = await openChannel(secret);
  const webhooks = [{ url: channel.url, secret, kinds: ['hold-opened'] as const }];
  const desk = openShopDesk(store, shopWith(journal), webhooks);
  channel.connect(desk);
  // #endregion
  return {
    desk,
    channel,
    payments: () => readFileSync(journal, 'utf8'),
    async close() {
      channel.close();
      await desk.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Checks that a refund is paid once after a manager approves it in the channel, on any store. */
export async function checkSupportBot(store: Store): Promise<void> {
  const { desk, channel, payments, close } = await openSupportBot(store);
  const runId = await desk.start('support', 'Please refund order 42.', { requester: ADA });
  await desk.drain();
  const [message] = channel.messages;
  assert.equal(message?.text, 'Ada: Refund €400 for order 42');

  await press(desk, message, 'approve');
  // Another manager presses too late.
  await assert.rejects(press(desk, message, 'deny'), { code: 'hold-settled' });
  await desk.drain();

  assert.equal((await desk.run(runId)).state, 'finished');
  assert.equal(payments(), '42: 400\n');
  const forged = await fetch(channel.url, { method: 'POST', body: '{}' });
  assert.equal(forged.status, 401);
  await close();
}
