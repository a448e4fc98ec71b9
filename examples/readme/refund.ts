// The first example of the README: a refund that a manager approves at a desk.
import assert from 'node:assert/strict';
import { sqliteStore } from '@holdpoint/desk';
import { calls, functionModel, says } from 'holdpoint/testing';
// #region refund
import { openDesk } from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { z } from 'zod';
// #endregion

const refunded: string[] = [];
const shop = {
  async refund(order: string, euros: number, idempotencyKey: string | undefined) {
    assert.ok(idempotencyKey);
    refunded.push(`${order}: ${euros}`);
    return 'refunded';
  },
};
const model = functionModel(({ messages }) =>
  messages.at(-1)?.parts.at(-1)?.kind === 'tool-return'
    ? says('Done.')
    : calls('refund', { order: 'A-17', euros: 80 }),
);
const store = await sqliteStore();

// #region refund
const refund = tool({
  name: 'refund',
  inputSchema: z.object({ order: z.string(), euros: z.number() }),
  requiresApproval: ({ euros }) => euros > 50,
  preview: ({ order, euros }) => `Refund €${euros} for order ${order}`,
  execute: ({ order, euros }, { idempotencyKey }) => shop.refund(order, euros, idempotencyKey),
});
const agent = new Agent({ model, tools: [refund] });
const approvers = { refund: { roles: ['manager'] } };
const desk = openDesk({ store, agents: { support: { agent } }, approvers });

await desk.start('support', 'Refund order A-17.', { requester: { id: 'ada' } });
// #endregion
await desk.drain();
assert.deepEqual(refunded, []);
const [hold] = (await desk.holds()).items;
assert.equal(hold?.preview, 'Refund €80 for order A-17');
const by = { id: 'grace' };
const { id, digest } = hold;
await assert.rejects(desk.decide(id, { kind: 'approve' }, { by, digest }), {
  code: 'may-not-decide',
});
await desk.decide(id, { kind: 'approve' }, { by, roles: ['manager'], digest });
await desk.drain();
assert.deepEqual(refunded, ['A-17: 80']);
await desk.close();
