// Approvals in Slack: when a call waits, a channel gets a message with two buttons. Slack tells us which one
// was pressed, and by whom; the answer holds for what was shown, and for nothing else.
//
// It plays Slack on this machine and ends. A real deployment makes a Slack app with an incoming webhook
// (SLACK_WEBHOOK_URL), sets its Request URL for interactivity to where `onButton` is served (https), takes
// SLACK_SIGNING_SECRET from its settings, and `people` from its directory, with the ids that people have when
// they sign in: somebody who has another id in Slack could answer twice.
import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import {
  DeskError,
  type HoldRow,
  memoryStore,
  openDesk,
  type OutboxRow,
  visible,
} from '@holdpoint/desk';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

/** What Slack has got: messages in the channel, and what came to the addresses that it gave out. */
const inChannel: ReturnType<typeof JSON.parse>[] = [];
const replies: ReturnType<typeof JSON.parse>[] = [];
const slack = serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const body = await request.json();
    (new URL(request.url).pathname.startsWith('/services/') ? inChannel : replies).push(body);
    return new Response('ok');
  },
});
await once(slack, 'listening');
// It listens at a port.
const { port } = slack.address() as AddressInfo;
const slackUrl = `http://127.0.0.1:${port}`;

const published: string[] = [];
const publish = tool({
  name: 'publish',
  inputSchema: z.object({ version: z.string() }),
  requiresApproval: true,
  preview: ({ version }) => `Version ${version} goes to everybody.`,
  execute({ version }) {
    published.push(version);
    return 'published';
  },
});
const agent = new Agent({
  // The model has been talked into something: the text tries to be more than text.
  model: functionModel(({ messages }) =>
    messages.length === 1
      ? calls('publish', { version: '1.3.0 <!channel> *ok* \u202Edeweiver' })
      : says('Done.'),
  ),
  tools: [publish],
  output: [String, DeferredToolRequests],
});

const WEBHOOK_URL = process.env['SLACK_WEBHOOK_URL'] ?? `${slackUrl}/services/T0/B0/x`;
const SIGNING_SECRET = process.env['SLACK_SIGNING_SECRET'] ?? '8f742231b10e8888abcd99yyyzzz85a5';
/** Where Slack lets us say what has come of a button. */
const RESPONSES = process.env['SLACK_WEBHOOK_URL'] ? 'https://hooks.slack.com/' : `${slackUrl}/`;

// #region slack-message
/** A section of a message takes so many characters. */
const MOST_SHOWN = 3_000;

/** Texts of the model are plain text: no mentions, links or markup come of them. */
const plainText = (text: string) => ({ type: 'plain_text', text, emoji: false });

function messageAbout({ id, digest, toolName, agent: name, preview, args }: HoldRow): object {
  const shown = visible(
    [preview, args]
      .map((one) => (typeof one === 'string' ? one : JSON.stringify(one, null, 2)))
      .join('\n'),
  );
  const isWhole = shown.length <= MOST_SHOWN;
  // What the answer is about goes with the button.
  const value = JSON.stringify({ holdId: id, digest });
  const approve = { type: 'button', action_id: 'approve', text: plainText('Approve'), value };
  const deny = { type: 'button', action_id: 'deny', text: plainText('Deny'), value };
  const rest = 'It is too long to be shown here, so it cannot be approved here. Open the inbox.';
  return {
    text: 'A call waits for an answer.',
    blocks: [
      { type: 'section', text: plainText(`${name} wants to run ${visible(toolName)}:`) },
      { type: 'section', text: plainText(isWhole ? shown : rest) },
      { type: 'actions', elements: isWhole ? [approve, deny] : [deny] },
    ],
  };
}

async function tellSlack({ kind, data }: OutboxRow): Promise<void> {
  if (kind !== 'hold-opened') return;
  const { hold } = await desk.hold(String(data['holdId']));
  const body = JSON.stringify(messageAbout(hold));
  const headers = { 'content-type': 'application/json' };
  const { ok, status } = await fetch(WEBHOOK_URL, { method: 'POST', headers, body });
  // Thrown, so that it is told again later.
  if (!ok) throw new Error(`Slack answered with ${status}.`);
}

const desk = openDesk({
  store: memoryStore(),
  agents: { release: { agent } },
  notify: tellSlack,
});
// #endregion

// #region slack-signature
const FIVE_MINUTES = 5 * 60;

/** Whether Slack has sent a request, and lately. */
function isFromSlack(headers: Headers, body: string): boolean {
  const time = headers.get('x-slack-request-timestamp') ?? '';
  if (!(Math.abs(Date.now() / 1_000 - Number(time)) <= FIVE_MINUTES)) return false;
  const hmac = createHmac('sha256', SIGNING_SECRET).update(`v0:${time}:${body}`);
  const wanted = Buffer.from(`v0=${hmac.digest('hex')}`);
  const given = Buffer.from(headers.get('x-slack-signature') ?? '');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
// #endregion

// #region slack-answer
/** Who people in Slack are at the desk. */
const people = new Map([['U_GRACE', { id: 'grace', name: 'Grace', roles: ['release-manager'] }]]);

const buttonSchema = z.object({
  user: z.object({ id: z.string() }),
  response_url: z.string().startsWith(RESPONSES),
  actions: z.tuple([z.object({ action_id: z.enum(['approve', 'deny']), value: z.string() })]),
});
const valueSchema = z.object({ holdId: z.string(), digest: z.string() });

async function onButton(request: Request): Promise<Response> {
  const body = await request.text();
  if (!isFromSlack(request.headers, body)) return new Response('Not from Slack.', { status: 401 });
  const payload = new URLSearchParams(body).get('payload') ?? '';
  const { user, actions, response_url } = buttonSchema.parse(JSON.parse(payload));
  const text = await answer(user.id, actions[0]);
  const headers = { 'content-type': 'application/json' };
  await fetch(response_url, { method: 'POST', headers, body: JSON.stringify({ text }) });
  return new Response(null, { status: 200 });
}

async function answer(
  slackId: string,
  { action_id: kind, value }: { readonly action_id: 'approve' | 'deny'; readonly value: string },
): Promise<string> {
  const person = people.get(slackId);
  if (person === undefined) return 'Nobody knows you at the desk. Nothing was changed.';
  const { holdId, digest } = valueSchema.parse(JSON.parse(value));
  const { roles, ...by } = person;
  try {
    await desk.answer(holdId, { kind }, { by, roles, digest });
    return kind === 'approve' ? `${by.name} has approved it.` : `${by.name} has denied it.`;
  } catch (error) {
    if (error instanceof DeskError) return error.message;
    throw error;
  }
}
// #endregion

/** Presses a button, as Slack tells us of it. */
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
await desk.workOff();

const [message] = inChannel;
assert.equal(message.blocks[1].text.type, 'plain_text');
assert.match(message.blocks[1].text.text, /⟨U\+202E⟩deweiver/);
assert.doesNotMatch(message.text, /channel/);

assert.equal((await press('approve', { secret: 'another' })).status, 401);
assert.equal((await press('approve', { age: 600 })).status, 401, 'somebody sends it once more');
await press('approve', { user: 'U_MALLORY' });
assert.match(replies.at(-1).text, /Nobody knows you/);
const value = JSON.parse(message.blocks[2].elements[0].value);
await press('approve', { value: JSON.stringify({ ...value, digest: 'of something else' }) });
assert.match(replies.at(-1).text, /not about what waits there/);
assert.equal((await desk.run(runId)).state, 'parked', 'nothing of this has decided anything');

await press('approve');
assert.equal(replies.at(-1).text, 'Grace has approved it.');
await press('deny');
assert.match(replies.at(-1).text, /answered before, by 'grace'/);

await desk.workOff();
assert.equal(published.length, 1);
slack.close();
console.log('Somebody has pressed a button in Slack, and the version went out once.');
