// The webhooks of docs/notifications.md: a receiver on this machine verifies the sender and ignores duplicates.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { sqliteStore, openDesk } from '@holdpoint/desk';
import { verifyWebhook, WebhookRejectedError } from '@holdpoint/desk/webhooks';
import { Agent, DeferredToolRequests } from 'holdpoint';
import { functionModel, says } from 'holdpoint/testing';

const store = await sqliteStore();
const agent = new Agent({
  model: functionModel(() => says('Hello.')),
  output: [String, DeferredToolRequests],
});
const agents = { support: { agent } };
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const received: string[] = [];

// #region receive
/** Use a database with a unique column if several processes receive events. */
const seen = new Set<string>();

async function receive(request: Request): Promise<Response> {
  try {
    const event = await verifyWebhook(request, [secret]);
    if (seen.has(event.id)) return new Response(null, { status: 204 });
    received.push(`${event.kind} of run ${event.runId}`);
    seen.add(event.id);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookRejectedError)) throw error;
    return new Response(error.message, { status: 401 });
  }
}
// #endregion

const server = serve({ fetch: receive, hostname: '127.0.0.1', port: 0 });
await once(server, 'listening');
// A listening TCP server has an address with a port.
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;

// #region webhooks
const desk = openDesk({
  store,
  agents,
  webhooks: [
    { url, secret },
    // Two secrets while one replaces the other, and some kinds of events only.
    { url: `${url}/urgent`, secret: [secret, secret], kinds: ['hold-opened', 'run-stuck'] },
  ],
});
// #endregion

const runId = await desk.start('support', 'Hello?');
await desk.drain();
assert.deepEqual(received.toSorted(), [
  `run-finished of run ${runId}`,
  `run-started of run ${runId}`,
]);

{
  // #region deliveries
  const { items } = await desk.events();
  for (const { id, kind } of items) {
    for (const { host, state, attempts, problem } of await desk.deliveries(id)) {
      console.log(kind, host, state, attempts, problem ?? '');
    }
  }
  // #endregion
}

assert.equal((await fetch(url, { method: 'POST', body: '{}' })).status, 401);
server.close();
