// Mistakes at the edges of a desk: chats, sign-in links, requests, questions, workers and stores.
import { openDesk, postgresStore, sqliteStore } from '@holdpoint/desk';
import { deskChats } from '@holdpoint/desk/chat-ui';
import { deskClient } from '@holdpoint/desk/client';
import { signIn } from '@holdpoint/desk/sign-in';
import { verifyWebhook } from '@holdpoint/desk/webhooks';
import { Agent, InputRequired, tool } from 'holdpoint';
import { chatHandler } from 'holdpoint/ai-sdk-ui';
import { calls, functionModel } from 'holdpoint/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

/** The same function for a caller without types. */
const loose = (given: unknown) => given as (...args: unknown[]) => unknown;

const executed: unknown[] = [];
const deliver = tool({
  name: 'deliver',
  inputSchema: z.object({ order: z.string() }),
  execute({ order }, ctx) {
    if (ctx.input === undefined) {
      throw new InputRequired({ message: 'Where to?', schema: { type: 'string', minLength: 3 } });
    }
    executed.push(order);
    return 'Delivered.';
  },
});
const model = functionModel(() => calls('deliver', { order: '17' }));
const agent = new Agent({ name: 'clerk', model, tools: [deliver] });
const store = await sqliteStore();
const desk = openDesk({ store, agents: { clerk: { agent } }, authorize: () => undefined });
const url = 'http://127.0.0.1:3000';
const authorize = () => ({ conversationId: 'a' });
const stored = { agent, authorize, load() {}, save() {} };

type Row = readonly [name: string, make: () => unknown, text: string | RegExp];

const chat = loose(chatHandler);
const chats = loose(deskChats);
const link = (options?: unknown) =>
  loose(signIn({ store, url }).signInLink.bind(signIn({ store, url })))(options);

const ROWS: readonly Row[] = [
  ['chatHandler without options', () => chat(), '`chatHandler` was called without options'],
  ['a chat without authorize', () => chat({ agent, load() {}, save() {} }), 'Pass `authorize`'],
  ['a chat without a storage', () => chat({ agent, authorize }), 'Pass `load` and `save`'],
  ['a chat with half a storage', () => chat({ agent, authorize, load() {} }), '`save`'],
  ['a misspelt authorize', () => chat({ ...stored, authorise() {} }), 'Did you mean `authorize`?'],
  ['load that is no function', () => chat({ ...stored, load: {} }), '`load` of `chatHandler`'],
  ['an unknown onPendingCalls', () => chat({ ...stored, onPendingCalls: 'drop' }), "'cancel'"],
  ['an unknown onDisconnect', () => chat({ ...stored, onDisconnect: 'end' }), "'stop'"],
  ['maxBodyBytes as a text', () => chat({ ...stored, maxBodyBytes: '4MB' }), 'Pass a number'],
  ['sealed that is no function', () => chat({ agent, authorize, sealed: {} }), '`sealed`'],
  ['a class as the agent', () => chat({ ...stored, agent: Agent }), 'Pass `agent` or `backend`'],
  ['a backend beside an agent', () => chat({ agent, authorize, backend: {} }), 'either `backend`'],
  ['a desk as the backend', () => chat({ authorize, backend: desk }), 'Pass `deskChats(desk'],
  ['a promise as the backend', () => chat({ authorize, backend: Promise.resolve() }), '`backend`'],
  ['deskChats without options', () => chats(desk), '`deskChats` needs options'],
  ['deskChats without a desk', () => chats(undefined, { agent: 'clerk' }), 'not a desk'],
  ['deskChats of a promise', () => chats(Promise.resolve(desk), { agent: 'clerk' }), 'not a desk'],
  ['deskChats of a store', () => chats(store, { agent: 'clerk' }), 'not a desk'],
  ['deskChats of another agent', () => chats(desk, { agent: 'clark' }), 'Did you mean `clerk`?'],
  ['deskChats with an Agent', () => chats(desk, { agent }), '`agent` of `deskChats` is an object'],
  ['deskChats without an agent', () => chats(desk, {}), '`agent` of `deskChats` is missing'],
  ['deskChats with agents', () => chats(desk, { agents: 'clerk' }), 'Did you mean `agent`?'],

  ['a sign-in link without options', () => link(), '`signInLink` needs options'],
  ['a sign-in link for no person', () => link({ tenant: 'default' }), 'gets the link is missing'],
  [
    'a sign-in link with a misspelt role',
    () => link({ tenant: 'a', person: { id: 'a' }, role: 'x' }),
    'mean `roles`?',
  ],
  [
    'a sign-in link with roles as text',
    () => link({ tenant: 'a', person: { id: 'a' }, roles: 'x' }),
    '`roles`',
  ],
  ['a sign-in link without a tenant', () => link({ person: { id: 'a' } }), 'tenant'],
  [
    'signIn at a public address without TLS',
    () => signIn({ store, url: 'http://example.com' }),
    'https',
  ],
  [
    'signIn with half an OpenID provider',
    () => loose(signIn)({ store, url, openId: { issuer: 'https://x.test' } }),
    '`openId.clientId`',
  ],
  ['signIn with oidc', () => loose(signIn)({ store, url, oidc: {} }), 'Unknown option `oidc`'],
  [
    'signIn that is idle after a text',
    () => loose(signIn)({ store, url, idleAfter: '2h' }),
    '`idleAfter`',
  ],
  [
    'signIn with a promise of a store',
    () => loose(signIn)({ store: sqliteStore(), url }),
    'forget `await`?',
  ],

  [
    'a request of Node at a desk',
    () => loose(desk.fetch)({ url: '/v1/runs', headers: {} }),
    '`@hono/node-server`',
  ],
  ['an address at a desk', () => loose(desk.fetch)('https://x.test/v1/runs'), '`Request`'],
  ['nothing at a desk', () => loose(desk.fetch)(), '`Request`'],
  ['a webhook without a secret', () => loose(verifyWebhook)(new Request(url)), '`verifyWebhook`'],
  ['a webhook with an empty secret', () => verifyWebhook(new Request(url), ''), '`verifyWebhook`'],
  ['a webhook with no secrets', () => verifyWebhook(new Request(url), []), '`verifyWebhook`'],

  [
    'redaction as a list',
    () => loose(openDesk)({ store, agents: { clerk: { agent } }, redact: ['iban'] }),
    '`redact`',
  ],
  [
    'redaction of a tool as a switch',
    () => loose(openDesk)({ store, agents: { clerk: { agent } }, redact: { deliver: true } }),
    '`redact.deliver`',
  ],
  [
    'an unknown option of http',
    () => loose(openDesk)({ store, agents: { clerk: { agent } }, http: { path: '/x' } }),
    'Use one of: ',
  ],
  [
    'retention as a text',
    () => loose(openDesk)({ store, agents: { clerk: { agent } }, retention: { runs: '30d' } }),
    'milliseconds',
  ],
  [
    'a webhook of a desk without a secret',
    () => loose(openDesk)({ store, agents: { clerk: { agent } }, webhooks: [{ url }] }),
    'Pass `secret`',
  ],
  [
    'a webhook of a desk with a number as the secret',
    () =>
      loose(openDesk)({ store, agents: { clerk: { agent } }, webhooks: [{ url, secret: [7] }] }),
    'whsec_$(openssl rand',
  ],
  [
    'a rule with one role as a text',
    () => loose(openDesk)({ store, agents: { clerk: { agent } }, approvers: { roles: 'boss' } }),
    /`roles`: .* Pass a rule such as `\{ roles: \['manager'\], count: 2 \}`\.$/,
  ],
  ...['createdAfter', 'createdBefore'].map(
    (name): Row => [
      `a filter \`${name}\` that is a Date`,
      () => loose(desk.holds.bind(desk))({ [name]: new Date() }),
      `\`${name}\` is a Date. Pass milliseconds since 1970`,
    ],
  ),
  ...['tool', 'agent', 'text', 'runId', 'conversationId', 'idPrefix'].map(
    (name): Row => [
      `a filter \`${name}\` that is a number`,
      () => loose(desk.holds.bind(desk))({ [name]: 7 }),
      `\`${name}\` is \`7\`. Pass a text`,
    ],
  ),
  [
    'a person in place of the id of a requester',
    () => loose(desk.holds.bind(desk))({ requester: { id: 'ada' } }),
    '`requester` is an object. Pass its `id`',
  ],
  [
    'an agent as a filter of runs',
    () => loose(desk.runs.bind(desk))({ agent }),
    '`agent` is an object. Pass a text',
  ],
  [
    'a request for changes without a message',
    () => loose(desk.decide.bind(desk))('a', { kind: 'retry' }, { by: { id: 'a' }, digest: 'a' }),
    "Pass an object such as `{ kind: 'retry', message: ",
  ],
  [
    'a decision without an approver',
    () => loose(desk.decide.bind(desk))('a', { kind: 'approve' }, { digest: 'a' }),
    'The approver `by` is missing',
  ],
  [
    'a logger that is a switch',
    () => loose(openDesk)({ store, agents: { clerk: { agent } }, logger: true }),
    '`logger`',
  ],
  [
    'an address of the desk without a scheme',
    () => loose(openDesk)({ store, agents: { clerk: { agent } }, url: 'desk' }),
    'https://',
  ],

  [
    'a worker with many slots as a text',
    () => loose(desk.startWorker.bind(desk))({ concurrency: 'many' }),
    '`concurrency` is many',
  ],
  [
    'a worker with slots',
    () => loose(desk.startWorker.bind(desk))({ slots: 3 }),
    'Use one of: signal, concurrency',
  ],
  [
    'a worker with half a slot',
    () => desk.startWorker({ concurrency: 1.5 }),
    '`concurrency` is 1.5',
  ],
  ['a worker with a pause of -1', () => desk.startWorker({ pollMs: -1 }), '`pollMs`'],
  [
    'a worker with a grace period as a text',
    () => loose(desk.startWorker.bind(desk))({ drainMs: '30s' }),
    '`drainMs`',
  ],
  [
    'waiting with a misspelt timeout',
    () => loose(desk.waitFor.bind(desk))('x', { timeout: 1 }),
    'mean `timeoutMs`?',
  ],

  [
    'sqliteStore at a folder',
    () => sqliteStore({ path: '/' }),
    'The SQLite file `/` cannot be opened',
  ],
  [
    'sqliteStore in a missing folder',
    () => sqliteStore({ path: '/missing/desk.db' }),
    'Check that its folder exists',
  ],
  ...[0, -1, Number.NaN, '5s', null].map(
    (busyTimeout): Row => [
      `sqliteStore with the busyTimeout ${busyTimeout}`,
      () => loose(sqliteStore)({ busyTimeout }),
      'Pass a number of milliseconds above 0.',
    ],
  ),
  ['sqliteStore with a path as options', () => loose(sqliteStore)('desk.db'), 'Pass an object'],
  [
    'postgresStore with a connection string',
    () => loose(postgresStore)({ connectionString: 'x' }),
    'Use one of: pool',
  ],
  [
    'postgresStore with a promise',
    () => loose(postgresStore)({ pool: Promise.resolve() }),
    'a promise',
  ],
];

describe('mistakes at the edges of a desk', () => {
  it.each(ROWS)('%s is an error that names the option', async (_name, make, text) => {
    const error = await (async () => make())().then(
      () => expect.fail('The mistake was accepted.'),
      (thrown: unknown) => thrown,
    );

    expect(error).toMatchObject({ code: 'user-error' });
    expect(error).toHaveProperty(
      'message',
      expect.toSatisfy((message: string) =>
        typeof text === 'string' ? message.includes(text) : text.test(message),
      ),
    );
    expect(executed).toEqual([]);
  });
});

describe('mistakes with a question', () => {
  let hold: { readonly id: string; readonly digest: string };

  beforeAll(async () => {
    const runId = await desk.start('clerk', 'Deliver order 17.');
    await desk.work({ runId });
    const [first] = (await desk.holds({ runId })).items;
    if (first === undefined) throw new Error('The run did not park.');
    hold = first;
  });

  it.each([
    ['an approval of a question', { kind: 'approve' }, /question|input/],
    ['an input without a value', { kind: 'input' }, /`value`/],
    ['an input of another type', { kind: 'input', value: 7 }, /string/],
    ['an input that is too short', { kind: 'input', value: 'x' }, /short|length|3/],
    ['a result of a question', { kind: 'result', value: 'Paris' }, /question|input/],
    ['an input as a text', 'Paris', /Invalid decision/],
    ['an unknown member of a decision', { kind: 'input', value: 'Paris', note: 'x' }, /note/],
  ])('%s is an error, and the tool does not execute', async (_name, decision, text) => {
    const { id, digest } = hold;
    const deciding = loose(desk.decide.bind(desk))(id, decision, { by: { id: 'ada' }, digest });

    await expect(deciding).rejects.toThrow(text);
    expect((await desk.hold(id)).state).toBe('open');
    expect(executed).toEqual([]);
  });
});

describe('authorize that returns no caller', () => {
  it.each([
    ['the person alone', { id: 'ada' }, 'a caller without `person`'],
    ['null', null, '`null`'],
    ['a switch', true, '`true`'],
    ['a name', 'ada', '`"ada"`'],
    ['a person without a tenant', { person: { id: 'ada' } }, 'The tenant of the caller'],
  ])('%s rejects the request, and the log states what to return', async (_name, given, text) => {
    const errors: unknown[] = [];
    const open = loose(openDesk)({
      store,
      agents: { clerk: { agent } },
      authorize: () => given,
      onError: (error: unknown) => void errors.push(error),
    }) as typeof desk;

    const { status } = await open.fetch(new Request(`${url}/v1/holds`));

    expect(status).toBe(500);
    expect(errors).toMatchObject([{ cause: { code: 'user-error' } }]);
    expect(errors).toHaveProperty('0.cause.message', expect.stringContaining(text));
  });
});

describe('a client with the address of the inbox', () => {
  it('reports that the response is not JSON, and names the option', async () => {
    const client = deskClient({
      url: 'http://desk.test/inbox',
      fetch: async (request) => desk.fetch(new Request(request)),
    });

    await expect(client.holds()).rejects.toMatchObject({
      name: 'DeskClientError',
      message: expect.stringMatching(/desk.test\/inbox is not JSON.* Check `url`/),
    });
  });
});

describe('a closed desk', () => {
  it.each([
    ['start', (closed: typeof desk) => closed.start('clerk', 'Deliver.')],
    ['holds', (closed: typeof desk) => closed.holds()],
    ['drain', (closed: typeof desk) => closed.drain()],
  ])('rejects %s with the reason, without an error of the driver', async (_name, call) => {
    const closed = openDesk({ store: await sqliteStore(), agents: { clerk: { agent } } });
    await closed.close();
    await closed.close();

    await expect(call(closed)).rejects.toMatchObject({
      name: 'UserError',
      message: 'This SQLite store is closed. Open another one.',
    });
  });
});
