// What docs/inbox.md shows: a tool whose calls people can judge, and the inbox in an application that knows its
// people by a cookie. A browser drives the page itself in the tests of the desk.
import assert from 'node:assert/strict';
import { memoryStore, openDesk } from '@holdpoint/desk';
import { Hono } from 'hono';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

// #region readable
const refund = tool({
  name: 'refund',
  inputSchema: z.object({
    order: z.string().meta({ title: 'Order' }),
    euros: z.number().positive().max(5_000).meta({
      title: 'Amount in euros',
      description: 'Goes back to the card that the order was paid with.',
    }),
  }),
  requiresApproval: true,
  preview: ({ order, euros }) => `${euros} euros go back for order ${order}`,
  execute: ({ euros }) => `${euros} euros were given back.`,
});
// #endregion

const model = functionModel(({ messages }) =>
  messages.at(-1)?.parts.at(-1)?.kind === 'user-prompt'
    ? calls('refund', { order: '17', euros: 40 })
    : says('Done.'),
);
const agent = new Agent({ model, tools: [refund], output: [String, DeferredToolRequests] });
const agents = { support: { agent } };
const store = memoryStore();
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
const mine = await app.request('/desk/holds?mine=true', { headers: { cookie } });
assert.equal((await mine.json()).items[0].preview, '40 euros go back for order 17');
assert.equal((await app.request('/desk/holds?mine=true')).status, 401);
