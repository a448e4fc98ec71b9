// What docs/notifications.md shows of webhooks: a desk tells a receiver on this machine, which checks who it is
// from and drops what it knows.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { memoryStore, openDesk } from '@holdpoint/desk';
import { verifyWebhook, WebhookRefusedError } from '@holdpoint/desk/webhooks';
import { Agent, DeferredToolRequests } from 'holdpoint';
import { functionModel, says } from 'holdpoint/testing';

const store = memoryStore();
const agent = new Agent({
  model: functionModel(() => says('Hello.')),
  output: [String, DeferredToolRequests],
});
const agents = { support: { agent } };
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const told: string[] = [];

// #region receive
/** In a database with a unique column, where several processes receive. */
const seen = new Set<string>();

async function receive(request: Request): Promise<Response> {
  try {
    const event = await verifyWebhook(request, [secret]);
    if (seen.has(event.id)) return new Response(null, { status: 204 });
    told.push(`${event.type} of run ${event.runId}`);
    seen.add(event.id);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookRefusedError)) throw error;
    return new Response(error.message, { status: 401 });
  }
}
// #endregion

const server = serve({ fetch: receive, hostname: '127.0.0.1', port: 0 });
await once(server, 'listening');
// It listens at a port.
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;

// #region webhooks
const desk = openDesk({
  store,
  agents,
  webhooks: [
    { url, secret },
    // Two secrets while one replaces the other, and only some events.
    { url: `${url}/urgent`, secret: [secret, secret], kinds: ['hold-opened', 'run-stuck'] },
  ],
});
// #endregion

const runId = await desk.start('support', 'Hello?');
await desk.workOff();
assert.deepEqual(told.toSorted(), [`run-finished of run ${runId}`, `run-started of run ${runId}`]);

{
  // #region deliveries
  const { items } = await desk.events();
  for (const { id, kind } of items) {
    for (const { host, state, tries, problem } of await desk.deliveries(id)) {
      console.log(kind, host, state, tries, problem ?? '');
    }
  }
  // #endregion
}

assert.equal((await fetch(url, { method: 'POST', body: '{}' })).status, 401);
server.close();
