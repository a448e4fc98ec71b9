// Approvals in chat channels, through the Chat SDK: a pending call becomes a card with buttons. A user approves it, and the
// card and its thread show the outcome. The same code serves Teams, Google Chat and Discord with their adapters.
//
// The program simulates Slack on this machine. For a real workspace, create a Slack app, and set SLACK_BOT_TOKEN and
// SLACK_SIGNING_SECRET. Set its Request URL for interactivity to an address (https) that calls `bot.webhooks.slack`.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createSlackAdapter } from '@chat-adapter/slack';
import { createMemoryState } from '@chat-adapter/state-memory';
import { serve } from '@hono/node-server';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { chatApprovals } from '@holdpoint/desk/chat';
import { type Adapter, Chat, ConsoleLogger } from 'chat';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

/** The requests to the Web API of Slack. */
const requests: { readonly method: string; readonly body: ReturnType<typeof JSON.parse> }[] = [];
const slackApi = serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const body = Object.fromEntries(new URLSearchParams(await request.text()));
    requests.push({ method: new URL(request.url).pathname.split('/').at(-1) ?? '', body });
    return Response.json({ ok: true, ts: '1700000000.000100', user_id: 'U_DESK' });
  },
});
await once(slackApi, 'listening');
// A listening TCP server has an address with a port.
const { port } = slackApi.address() as AddressInfo;
const SIGNING_SECRET = process.env['SLACK_SIGNING_SECRET'] ?? '8f742231b10e8888abcd99yyyzzz85a5';

const adapter = createSlackAdapter({
  botToken: process.env['SLACK_BOT_TOKEN'] ?? 'xoxb-1',
  signingSecret: SIGNING_SECRET,
  logger: new ConsoleLogger('silent'),
  // Leave it out for a real workspace.
  apiUrl: `http://127.0.0.1:${port}/api/`,
});
const bot = new Chat({
  userName: 'desk',
  // The declarations of the adapter do not comply with `exactOptionalPropertyTypes`.
  adapters: { slack: adapter as Adapter },
  state: createMemoryState(),
  logger: 'silent',
});

const published: string[] = [];
const publish = tool({
  name: 'publish',
  inputSchema: z.object({ version: z.string() }),
  requiresApproval: true,
  preview: ({ version }) => `Publish version ${version} to all customers`,
  execute({ version }) {
    published.push(version);
    return 'published';
  },
});
const agent = new Agent({
  model: functionModel(({ messages }) =>
    messages.length === 1 ? calls('publish', { version: '1.3.0' }) : says('Done.'),
  ),
  tools: [publish],
});

// #region approvals
const people = new Map([
  ['U_GRACE', { person: { id: 'grace', name: 'Grace' }, roles: ['release-manager'] }],
]);

const desk = openDesk({
  store: await sqliteStore(),
  agents: { release: { agent } },
  approvers: { publish: { roles: ['release-manager'], notRequester: true } },
  url: 'https://desk.example',
  async notify(event) {
    await approvals.notify(event);
  },
});

const approvals = chatApprovals({
  desk,
  bot,
  channelFor: ({ agent: name }) => bot.channel(name === 'release' ? 'slack:C0123' : 'slack:C0456'),
  personFor: ({ id, platform }) => (platform === 'slack' ? people.get(id) : undefined),
});
// #endregion

// #region webhook
/** The Request URL for interactivity. The bot verifies the signature. */
function onSlack(request: Request): Promise<Response> {
  return bot.webhooks.slack(request);
}
// #endregion

/** Simulates a pressed button, and waits until Slack received `count` more requests of a method. */
async function press(user: string, method: string): Promise<void> {
  const card = requests.find((one) => one.method === 'chat.postMessage')?.body;
  const actions = JSON.parse(card.blocks).at(-1).elements.slice(0, 1);
  const payload = JSON.stringify({
    type: 'block_actions',
    user: { id: user },
    channel: { id: card.channel },
    container: { message_ts: '1700000000.000100' },
    message: { ts: '1700000000.000100' },
    actions,
  });
  const body = new URLSearchParams({ payload }).toString();
  const time = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', SIGNING_SECRET).update(`v0:${time}:${body}`).digest('hex');
  const headers = { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${signature}` };
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const count = requests.filter((one) => one.method === method).length;
  const response = await onSlack(
    new Request('https://app.example/slack', {
      method: 'POST',
      body,
      headers: { ...headers, ...type },
    }),
  );
  assert.equal(response.status, 200);
  // The bot responds immediately, and handles the click afterwards.
  for (let tries = 0; tries < 100; tries += 1) {
    if (requests.filter((one) => one.method === method).length > count) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(`There was no ${method}.`);
}

await bot.initialize();
const runId = await desk.start('release', 'Publish 1.3.0.', { requester: { id: 'ada' } });
await desk.drain();

await press('U_MALLORY', 'chat.postEphemeral');
assert.match(requests.at(-1)?.body.text, /You are not known at this desk/);
assert.equal((await desk.run(runId)).state, 'parked', 'no decision was recorded');

await press('U_GRACE', 'chat.postMessage');
await desk.drain();
assert.deepEqual(published, ['1.3.0']);
const card = requests.findLast(({ method }) => method === 'chat.update')?.body;
assert.match(card.text, /Approved by Grace/);
assert.ok(
  requests.some(({ body }) => body.thread_ts && body.text === 'Approved by Grace (grace).'),
);

await bot.shutdown();
await desk.close();
slackApi.close();
console.log('An approver pressed a button on a card, and the version was published once.');
