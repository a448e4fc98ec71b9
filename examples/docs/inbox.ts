// The code of docs/mount-the-inbox.md: a tool with a preview, and the inbox in an application that identifies people by a
// cookie. The tests of the desk drive the page in a browser.
import assert from 'node:assert/strict';
import { sqliteStore, openDesk } from '@holdpoint/desk';
import { Hono } from 'hono';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

// #region readable
const refund = tool({
  name: 'refund',
  metadata: { title: 'Refund an order' },
  inputSchema: z.object({
    order: z.string().meta({ title: 'Order' }),
    euros: z.number().positive().max(5_000).meta({
      title: 'Amount in euros',
      description: 'Refunded to the card that paid for the order.',
    }),
  }),
  requiresApproval: true,
  preview: ({ order, euros }) => `Refund €${euros} for order ${order}`,
  execute: ({ euros }) => `Refunded €${euros}.`,
});
// #endregion

const model = functionModel(({ messages }) =>
  messages.at(-1)?.parts.at(-1)?.kind === 'user-prompt'
    ? calls('refund', { order: '17', euros: 40 })
    : says('Done.'),
);
const agent = new Agent({ model, tools: [refund], output: [String, DeferredToolRequests] });
const agents = { support: { agent } };
const store = await sqliteStore();
const grace = { person: { id: 'grace', name: 'Grace' }, roles: ['refunds'] };
const sessions = new Map([['session=1f0c', grace]]);

// #region mount
const app = new Hono();
const desk = openDesk({
  store,
  agents,
  http: { basePath: '/desk' },
  authorize({ headers }) {
    const session = sessions.get(headers.get('cookie') ?? '');
    return session && { tenant: 'default', ...session };
  },
});
app.all('/desk/*', ({ req }) => desk.fetch(req.raw));
// #endregion

const runId = await desk.start('support', 'The lamp is broken.', { requester: { id: 'ada' } });
await desk.work({ runId });
const page = await app.request('/desk/inbox');
assert.match(
  page.headers.get('content-security-policy') ?? '',
  /^default-src 'none'; script-src 'self'/,
);
const cookie = 'session=1f0c';
const mine = await app.request('/desk/v1/holds?mine=true', { headers: { cookie } });
const [hold] = (await mine.json()).items;
assert.equal(hold.title, 'Refund an order');
assert.equal(hold.preview, 'Refund €40 for order 17');
assert.equal((await app.request('/desk/v1/holds?mine=true')).status, 401);
