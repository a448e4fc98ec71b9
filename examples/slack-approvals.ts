// Approvals in Slack: a pending call sends a message with two buttons to a channel. Slack sends the pressed button
// and the user. The decision is valid only for the displayed call.
//
// The program simulates Slack on this machine. A real deployment creates a Slack app with an incoming webhook
// (SLACK_WEBHOOK_URL), sets its Request URL for interactivity to the address of `onButton` (https), takes
// SLACK_SIGNING_SECRET from its settings, and `people` from its directory. Use the ids with which people sign in:
// a person with two ids could vote twice.
import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import {
  DeskError,
  type DeskEvent,
  type HoldRow,
  openDesk,
  sqliteStore,
  visible,
} from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

/** Messages that Slack received in the channel, and as responses to buttons. */
const inChannel: ReturnType<typeof JSON.parse>[] = [];
const responses: ReturnType<typeof JSON.parse>[] = [];
const slack = serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const body = await request.json();
    (new URL(request.url).pathname.startsWith('/services/') ? inChannel : responses).push(body);
    return new Response('ok');
  },
});
await once(slack, 'listening');
// A listening TCP server has an address with a port.
const { port } = slack.address() as AddressInfo;
const slackUrl = `http://127.0.0.1:${port}`;

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
  // The arguments contain an injection: a mention, markup and a reversed text.
  model: functionModel(({ messages }) =>
    messages.length === 1
      ? calls('publish', { version: '1.3.0 <!channel> *ok* \u202Edeweiver' })
      : says('Done.'),
  ),
  tools: [publish],
});

const WEBHOOK_URL = process.env['SLACK_WEBHOOK_URL'] ?? `${slackUrl}/services/T0/B0/x`;
const SIGNING_SECRET = process.env['SLACK_SIGNING_SECRET'] ?? '8f742231b10e8888abcd99yyyzzz85a5';
/** The address of response URLs. */
const RESPONSE_URL = process.env['SLACK_WEBHOOK_URL'] ? 'https://hooks.slack.com/' : `${slackUrl}/`;

// #region slack-message
/** The maximum length of a section. */
const MAX_LENGTH = 3_000;

/** Shows text of the model as plain text, without mentions, links or markup. */
const plainText = (text: string) => ({ type: 'plain_text', text, emoji: false });

function messageAbout({ id, digest, toolName, agent: name, preview, args }: HoldRow): object {
  const shown = visible(
    [preview, args]
      .map((one) => (typeof one === 'string' ? one : JSON.stringify(one, null, 2)))
      .join('\n'),
  );
  const isWhole = shown.length <= MAX_LENGTH;
  // The button carries the digest of the displayed call.
  const value = JSON.stringify({ holdId: id, digest });
  const approve = { type: 'button', action_id: 'approve', text: plainText('Approve'), value };
  const deny = { type: 'button', action_id: 'deny', text: plainText('Deny'), value };
  const rest = 'This call is too long to review here. Open the inbox to approve it.';
  return {
    text: 'A call needs approval.',
    blocks: [
      { type: 'section', text: plainText(`${name} requests approval of ${visible(toolName)}:`) },
      { type: 'section', text: plainText(isWhole ? shown : rest) },
      { type: 'actions', elements: isWhole ? [approve, deny] : [deny] },
    ],
  };
}

async function notifySlack(event: DeskEvent): Promise<void> {
  if (event.kind !== 'hold-opened') return;
  const body = JSON.stringify(messageAbout(await desk.hold(event.holdId)));
  const headers = { 'content-type': 'application/json' };
  const { ok, status } = await fetch(WEBHOOK_URL, { method: 'POST', headers, body });
  // The desk retries the notification after an error.
  if (!ok) throw new Error(`Slack responded with ${status}.`);
}

const desk = openDesk({
  store: await sqliteStore(),
  agents: { release: { agent } },
  notify: notifySlack,
});
// #endregion

// #region slack-signature
const FIVE_MINUTES = 5 * 60;

/** True if Slack signed the request within the last five minutes. */
function isFromSlack(headers: Headers, body: string): boolean {
  const time = headers.get('x-slack-request-timestamp') ?? '';
  if (!(Math.abs(Date.now() / 1_000 - Number(time)) <= FIVE_MINUTES)) return false;
  const hmac = createHmac('sha256', SIGNING_SECRET).update(`v0:${time}:${body}`);
  const expected = Buffer.from(`v0=${hmac.digest('hex')}`);
  const received = Buffer.from(headers.get('x-slack-signature') ?? '');
  return received.length === expected.length && timingSafeEqual(received, expected);
}
// #endregion

// #region slack-decision
/** Maps Slack users to people at the desk. */
const people = new Map([['U_GRACE', { id: 'grace', name: 'Grace', roles: ['release-manager'] }]]);

const buttonSchema = z.object({
  user: z.object({ id: z.string() }),
  response_url: z.string().startsWith(RESPONSE_URL),
  actions: z.tuple([z.object({ action_id: z.enum(['approve', 'deny']), value: z.string() })]),
});
const valueSchema = z.object({ holdId: z.string(), digest: z.string() });

async function onButton(request: Request): Promise<Response> {
  const body = await request.text();
  if (!isFromSlack(request.headers, body)) return new Response('Not from Slack.', { status: 401 });
  const payload = new URLSearchParams(body).get('payload') ?? '';
  const { user, actions, response_url } = buttonSchema.parse(JSON.parse(payload));
  const text = await decide(user.id, actions[0]);
  const headers = { 'content-type': 'application/json' };
  await fetch(response_url, { method: 'POST', headers, body: JSON.stringify({ text }) });
  return new Response(null, { status: 200 });
}

async function decide(
  slackId: string,
  { action_id: kind, value }: { readonly action_id: 'approve' | 'deny'; readonly value: string },
): Promise<string> {
  const person = people.get(slackId);
  if (person === undefined) return 'You are not an approver at this desk. Nothing was decided.';
  const { holdId, digest } = valueSchema.parse(JSON.parse(value));
  const { roles, ...by } = person;
  try {
    await desk.decide(holdId, { kind }, { by, roles, digest });
    return kind === 'approve' ? `${by.name} approved the call.` : `${by.name} denied the call.`;
  } catch (error) {
    if (error instanceof DeskError) return error.message;
    throw error;
  }
}
// #endregion

/** Simulates a pressed button. */
function press(
  actionId: string,
  options: {
    readonly user?: string;
    readonly secret?: string;
    readonly age?: number;
    readonly value?: string;
  } = {},
): Promise<Response> {
  const { user = 'U_GRACE', secret = SIGNING_SECRET, age = 0 } = options;
  const { value = inChannel[0].blocks[2].elements[0].value } = options;
  const payload = JSON.stringify({
    type: 'block_actions',
    user: { id: user },
    response_url: `${slackUrl}/actions/1`,
    actions: [{ type: 'button', action_id: actionId, value }],
  });
  const body = new URLSearchParams({ payload }).toString();
  const time = String(Math.floor(Date.now() / 1_000) - age);
  const signature = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex');
  return onButton(
    new Request('https://desk.example/slack', {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': time,
        'x-slack-signature': `v0=${signature}`,
      },
    }),
  );
}

const runId = await desk.start('release', 'Publish 1.3.0.', { requester: { id: 'ada' } });
await desk.drain();

const [message] = inChannel;
assert.equal(message.blocks[1].text.type, 'plain_text');
assert.match(message.blocks[1].text.text, /⟨U\+202E⟩deweiver/);
assert.doesNotMatch(message.text, /channel/);

assert.equal((await press('approve', { secret: 'another' })).status, 401);
assert.equal((await press('approve', { age: 600 })).status, 401, 'an old request is replayed');
await press('approve', { user: 'U_MALLORY' });
assert.match(responses.at(-1).text, /You are not an approver/);
const value = JSON.parse(message.blocks[2].elements[0].value);
await press('approve', { value: JSON.stringify({ ...value, digest: 'of something else' }) });
assert.match(responses.at(-1).text, /names another digest/);
assert.equal((await desk.run(runId)).state, 'parked', 'no decision was recorded');

await press('approve');
assert.equal(responses.at(-1).text, 'Grace approved the call.');
await press('deny');
assert.match(responses.at(-1).text, /was decided before, by `grace`/);

await desk.drain();
assert.equal(published.length, 1);
slack.close();
console.log('An approver pressed a button in Slack, and the version was published once.');
