// Values of other types in place of options, as programs without types pass them.
import * as desks from '@holdpoint/desk';
import { executeRequest, guardCall } from '@holdpoint/desk/client';
import { deskApp } from '@holdpoint/desk/http';
import { mcpServer } from '@holdpoint/desk/mcp';
import { signIn } from '@holdpoint/desk/sign-in';
import { verifyWebhook } from '@holdpoint/desk/webhooks';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** The same function for a caller without types. */
const loose = (given: unknown) => given as (...args: unknown[]) => unknown;

const executed: unknown[] = [];
const refund = tool({
  name: 'refund',
  inputSchema: z.object({ euros: z.number() }),
  requiresApproval: true,
  execute(args) {
    executed.push(args);
    return 'done';
  },
});
const model = functionModel(({ messages }) =>
  messages.at(-1)?.parts.at(-1)?.kind === 'user-prompt'
    ? calls('refund', { euros: 5 })
    : says('Done.'),
);
const agent = new Agent({ name: 'clerk', model, tools: [refund] });
const store = await desks.sqliteStore();
const agents = { clerk: { agent } };
const url = 'http://localhost:3000';
const opened = desks.openDesk({
  store,
  agents,
  url,
  requests: {
    tools: { pay: { approvers: {}, schema: { type: 'object' } } },
  },
});
const open = (options: object) => loose(desks.openDesk)({ store, agents, ...options });

type Method = (...args: unknown[]) => unknown;
// The methods of a desk, for a caller without types.
const desk = new Proxy({} as Readonly<Record<string, Method>>, {
  get: (_target, name) => loose(Reflect.get(opened, name)).bind(opened),
});
const requests = new Proxy({} as Readonly<Record<string, Method>>, {
  get: (_target, name) => loose(Reflect.get(opened.requests, name)).bind(opened.requests),
});

const by = { id: 'ada' };
const runId = await opened.start('clerk', 'Refund 5 euros.', { requester: { id: 'rita' } });
await opened.work({ runId });
const [hold] = (await opened.holds({ runId })).items;
if (hold === undefined) throw new Error('The run did not park.');
const { id, digest } = hold;
const approve = (options: object) =>
  desk['decide']!(id, { kind: 'approve' }, { by, digest, ...options });
const pay = (options: object) => requests['create']!('pay', {}, { by, ...options });

type Row = readonly [name: string, make: () => unknown, text: string | RegExp];

/** Rules that would not apply. */
const RULES: readonly Row[] = [
  [
    'restrictedBy with a misspelt notRequester',
    () => desk['restrictedBy']!({ notRequestor: true }),
    'Did you mean `notRequester`?',
  ],
  [
    'restrictedBy with a misspelt mayDecide',
    () => desk['restrictedBy']!({ maydecide: () => false }),
    'Did you mean `mayDecide`?',
  ],
  [
    'restrictedBy with a promise',
    () => desk['restrictedBy']!(Promise.resolve({ notRequester: true })),
    'Did you forget `await`?',
  ],
  ['restrictedBy with a function', () => desk['restrictedBy']!(() => false), 'Pass an object'],
  ['restrictedBy with a Map', () => desk['restrictedBy']!(new Map()), 'a Map'],
  ['restrictedBy without rules', () => desk['restrictedBy']!(), 'needs options'],
  ['restrictedBy with null', () => desk['restrictedBy']!(null), '`null`'],
  ['restrictedBy with 0', () => desk['restrictedBy']!({ notRequester: 0 }), '`notRequester`'],
  ['authorizeAction as a switch', () => open({ http: { authorizeAction: true } }), 'a function'],
  ['authorizeAction as null', () => open({ http: { authorizeAction: null } }), '`null`'],
  [
    'authorizeAction as a promise',
    () => open({ http: { authorizeAction: Promise.resolve() } }),
    '`http.authorizeAction` is a promise',
  ],
  [
    'authorizeAction of deskApp as a list',
    () => loose(deskApp)(opened, { authorize: () => undefined, authorizeAction: ['read'] }),
    '`http.authorizeAction` is a list',
  ],
  ['redact as null', () => open({ redact: null }), '`redact` is `null`'],
  ['http.redact as null', () => open({ http: { redact: null } }), '`redact` is `null`'],
  [
    'an empty address of the desk',
    () => open({ url: '' }),
    'The `url` of `openDesk` is not an address',
  ],
  [
    'null as the address of the desk',
    () => open({ url: null }),
    'The `url` of `openDesk` is not an address',
  ],
];

/** Decisions whose options would be ignored. */
const DECISIONS: readonly Row[] = [
  ['a decision on behalf of null', () => approve({ onBehalfOf: null }), '`null`'],
  ['a decision on behalf of an empty text', () => approve({ onBehalfOf: '' }), 'behalf'],
  ['a decision on behalf of 0', () => approve({ onBehalfOf: 0 }), '`0`'],
  ['a decision with null as the grant', () => approve({ grant: null }), '`grant`'],
  ['a decision with false as the grant', () => approve({ grant: false }), '`grant`'],
  ['a decision with null as roles', () => approve({ roles: null }), '`roles`'],
  ['a decision with an empty text as roles', () => approve({ roles: '' }), '`roles`'],
  ['a decision with null as shown', () => approve({ shown: null }), '`shown` is `null`'],
  ['a decision with a preview as shown', () => approve({ shown: {} }), '`shown` is an object'],
  ['a decision by 10n', () => approve({ by: 10n }), '`10n`'],
  ['rightsOf an empty hold', () => desk['rightsOf']!({}, { by }), 'Pass what `desk.hold` returns'],
  ['rightsOf no approver', () => desk['rightsOf']!(hold), 'The approver is missing'],
  ['rightsOf a person', () => desk['rightsOf']!(hold, by), 'The approver is missing'],
  ['holds with null', () => desk['holds']!(null), '`null`'],
  ['revokeLink by null', () => desk['revokeLink']!('x', null), '`null`'],
  ['revokeLink with a person', () => desk['revokeLink']!('x', by), 'Did you mean `by`?'],
  ['audit after a text', () => desk['audit']!(runId, 'x'), '`after`'],
  ['audit with a limit of 0.5', () => desk['audit']!(runId, 0, 0.5), '`limit`'],
];

/** Identities and keys that would be lost, so that a retry is another run. */
const STARTS: readonly Row[] = [
  ...['', null, 0, false, Number.NaN].flatMap((value): readonly Row[] => [
    [
      `a start with the idempotency key ${JSON.stringify(value)} (${typeof value})`,
      () => desk['start']!('clerk', 'x', { idempotencyKey: value }),
      'idempotencyKey',
    ],
    [
      `a request with the idempotency key ${JSON.stringify(value)} (${typeof value})`,
      () => pay({ idempotencyKey: value }),
      'idempotencyKey',
    ],
    [
      `a start with the conversation ${JSON.stringify(value)} (${typeof value})`,
      () => desk['start']!('clerk', 'x', { conversationId: value }),
      'conversationId',
    ],
    [
      `a start with the requester ${JSON.stringify(value)} (${typeof value})`,
      () => desk['start']!('clerk', 'x', { requester: value }),
      'requester',
    ],
  ]),
  ['a start with a symbol', () => desk['start']!(Symbol('clerk'), 'x'), 'name of the agent'],
];

/** Facts of requests that the policy and approvers would not see. */
const REQUESTS: readonly Row[] = [
  ['a request with a promise as context', () => pay({ context: Promise.resolve() }), 'a promise'],
  ['a request with a Map as context', () => pay({ context: new Map([['sum', 1]]) }), 'a Map'],
  ['a request with a date as context', () => pay({ context: new Date() }), 'a Date'],
  ['a request with a big number', () => pay({ context: { sum: 10n } }), '`context` is not JSON'],
  ['a request with a promise as preview', () => pay({ preview: Promise.resolve() }), 'a promise'],
  ['a request with a function as preview', () => pay({ preview: () => 'x' }), '`preview`'],
  ['a request with a Map in its preview', () => pay({ preview: { a: new Map() } }), '`preview`'],
  ['a request with NaN as preview', () => pay({ preview: Number.NaN }), '`preview`'],
  [
    'a request with a promise as arguments',
    () => requests['create']!('pay', Promise.resolve({}), { by }),
    'a promise',
  ],
  [
    'a request with an unset argument',
    () => requests['create']!('pay', { sum: Number.POSITIVE_INFINITY }, { by }),
    '`args` is not JSON',
  ],
  ['a cancelled request without options', () => requests['cancel']!('x'), 'needs options'],
  ['a cancelled request by no one', () => requests['cancel']!('x', {}), 'The owner is missing'],
  ['requests of no one', () => requests['list']!(), 'needs options'],
  ['requests with a misspelt owner', () => requests['list']!({ owner: by }), 'Use one of: by'],
  [
    'waiting until another moment',
    () => requests['waitFor']!('x', { until: 'ended' }),
    'Did you mean `end`?',
  ],
  ...[
    ['a promise as value', { kind: 'value', value: Promise.resolve(1) }, '`value`'],
    ['no value', { kind: 'value' }, '`value`'],
    ['no message', { kind: 'error' }, '`message`'],
    ['an error as message', { kind: 'error', message: new Error('x') }, '`message`'],
    ['no reason', { kind: 'unknown' }, '`reason`'],
    ['another member', { kind: 'value', value: 1, error: 'x' }, 'Unknown option `error`'],
  ].map(
    ([name, settlement, text]): Row => [
      `a settlement with ${name}`,
      () => requests['settle']!('x', settlement, { by, token: 'x'.repeat(20) }),
      text as string,
    ],
  ),
];

/** People whose access would stay. */
const ACCESS: readonly Row[] = [
  ...[undefined, null, '', 7, Promise.resolve('ada'), { id: 'ada' }].map(
    (value, index): Row => [
      `endSessionsOf the value ${index} in place of an id`,
      () => loose(signIn({ store, url }).endSessionsOf.bind(signIn({ store, url })))(value),
      'id of the person',
    ],
  ),
  ...[null, '', 7, Promise.resolve('acme'), {}].map(
    (value, index): Row => [
      `endSessionsOf a person in the value ${index} in place of a tenant`,
      () => loose(signIn({ store, url }).endSessionsOf.bind(signIn({ store, url })))('ada', value),
      'tenant',
    ],
  ),
  ['finding no key', () => loose(opened.keys.find.bind(opened.keys))(), '`key` is missing'],
  [
    'finding a promise of a key',
    () => loose(opened.keys.find.bind(opened.keys))(Promise.resolve()),
    '`key`',
  ],
];

/** Queries that would list other rows, and limits that would be none. */
const LIMITS: readonly Row[] = [
  ...['runId', 'conversationId', 'tool', 'agent', 'requester', 'text', 'idPrefix'].flatMap(
    (name): readonly Row[] => [
      [`holds with null as ${name}`, () => desk['holds']!({ [name]: null }), `\`${name}\``],
      [
        `holds with a promise as ${name}`,
        () => desk['holds']!({ [name]: Promise.resolve('x') }),
        `\`${name}\` is a promise`,
      ],
    ],
  ),
  ['holds after a date', () => desk['holds']!({ createdAfter: new Date() }), '`createdAfter`'],
  ['holds before a text', () => desk['holds']!({ createdBefore: '2026' }), '`createdBefore`'],
  ['holds for an id', () => desk['holds']!({ eligible: 'ada' }), '`eligible`'],
  ['holds with a limit of 10n', () => desk['holds']!({ limit: Object.create(null) }), '`limit`'],
  ['runs of null', () => desk['runs']!({ agent: null }), '`agent`'],
  ['runs with erased ones as a text', () => desk['runs']!({ includeErased: 'no' }), 'Erased`'],
  ['grants that are live as a text', () => desk['grants']!({ live: 'false' }), '`live`'],
  ['delegations of a person', () => desk['delegations']!({ person: by }), '`person` is an object'],
  [
    'runs of agents in a Map',
    () => desk['startWorker']!({ maxRunsPerAgent: new Map([['clerk', 1]]) }),
    '`maxRunsPerAgent` is a Map',
  ],
  [
    'slots in a promise',
    () => desk['startWorker']!({ reservedSlots: Promise.resolve({}) }),
    '`reservedSlots` is a promise',
  ],
  ['a sweep of no tasks', () => desk['startSweep']!({ limit: 0 }), '`limit` is 0'],
  ['a webhook without a secret', () => open({ webhooks: [{ url: 'https://x.test' }] }), 'secret'],
  [
    'a webhook with a promise as secret',
    () => open({ webhooks: [{ url: 'https://x.test', secret: Promise.resolve('x') }] }),
    'secret',
  ],
  ['a webhook to a symbol', () => open({ webhooks: [{ url: Symbol('x'), secret: 'x' }] }), '`url`'],
  ['deskApp with a token', () => loose(deskApp)(opened, 'token'), 'Pass an object'],
  [
    'deskApp with a logger as onError',
    () => loose(deskApp)(opened, { onError: console }),
    '`onError`',
  ],
  [
    'descriptions of tools as null',
    () => mcpServer(opened as never, { stateKey: new Uint8Array(32), descriptions: null as never }),
    '`descriptions`',
  ],
  ['a webhook that is no request', () => verifyWebhook({} as never, 'x'), 'no `Request`'],
  [
    'the rights of no role',
    () => loose(desks.postgresMigrator)({ pool: { options: {}, connect() {} }, appRole: '' }),
    '`appRole` is empty',
  ],
];

const openId = { issuer: 'https://login.test', clientId: 'desk' };
const signInWith = (options: object) =>
  signIn({ store, url, openId: { ...openId, ...options } as never });

/** Settings of a provider, such as variables of the environment that are missing. */
const PROVIDERS: readonly Row[] = [
  ['an empty secret of a client', () => signInWith({ clientSecret: '' }), 'clientSecret'],
  ['null as the secret of a client', () => signInWith({ clientSecret: null }), 'clientSecret'],
  ['a misspelt method of a client', () => signInWith({ clientAuth: 'Post' }), 'mean `post`?'],
  ['scopes in a list', () => signInWith({ scope: ['openid'] }), '`openId.scope` is a list'],
  ['an empty claim of roles', () => signInWith({ rolesClaim: '' }), '`openId.rolesClaim`'],
  ['an empty tenant', () => signInWith({ tenant: '' }), 'openId.tenant'],
  ['a promise of a tenant', () => signInWith({ tenant: Promise.resolve('a') }), 'forget `await`?'],
];

/** Values that JavaScript cannot convert to a text. */
const STRANGE: readonly Row[] = [
  ['a lease of 10n', () => open({ lease: 10n }), '`lease` is 10'],
  ['a lease without a prototype', () => open({ lease: Object.create(null) }), 'an object'],
  ['an expiry without a prototype', () => pay({ expiresAfter: Object.create(null) }), 'an object'],
  [
    'an address that is a symbol',
    () => open({ url: Symbol('x') }),
    'The `url` of `openDesk` is not an address',
  ],
  ['a base path that is a symbol', () => open({ http: { basePath: Symbol('x') } }), 'basePath'],
  [
    'a limit without a prototype',
    () => open({ http: { maxBytes: Object.create(null) } }),
    'object',
  ],
  ['a store that is 10n', () => open({ store: 10n }), '`10n`'],
  ['stepEventsOf without a stream', () => loose(desks.stepEventsOf)(), 'Pass what `desk.stream`'],
  ['toAuditLines of nothing', () => loose(desks.toAuditLines)(), 'Pass what `exportAudit`'],
  ['fromAuditLines of a promise', () => loose(desks.fromAuditLines)(Promise.resolve()), 'await'],
  ['postgresMigrator without a pool', () => loose(desks.postgresMigrator)({}), '`pool`'],
  ['mcpServer without a desk', () => loose(mcpServer)(undefined, {}), 'not a desk'],
];

describe('values of other types', () => {
  it.each([
    ...RULES,
    ...DECISIONS,
    ...STARTS,
    ...REQUESTS,
    ...ACCESS,
    ...LIMITS,
    ...PROVIDERS,
    ...STRANGE,
  ])('%s is an error that names it, and nothing is written', async (_name, make, text) => {
    const error = await (async () => {
      const result = make();
      // A generator begins with the first value.
      const isGenerator = typeof Object(result)[Symbol.asyncIterator] === 'function';
      return isGenerator ? (result as AsyncGenerator).next() : result;
    })().then(
      () => expect.fail('The value was accepted.'),
      (thrown: unknown) => thrown,
    );

    expect(error).toMatchObject({ code: 'user-error' });
    expect(error).toHaveProperty(
      'message',
      expect.stringMatching(text instanceof RegExp ? text : escaped(text)),
    );
    expect((await opened.hold(id)).decisions).toEqual([]);
    expect(executed).toEqual([]);
  });
});

function escaped(text: string): RegExp {
  return new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
}

describe('a restricted desk', () => {
  it('is the same desk if the rules are empty or undefined', () => {
    expect(opened.restrictedBy({})).toBe(opened);
    expect(opened.restrictedBy({ mayDecide: undefined, notRequester: false })).toBe(opened);
  });
});

describe('a guarded call', () => {
  const approved = { id: 'r', state: 'approved' };
  const body = { tool: 'pay', args: {}, idempotencyKey: 'a' };

  /** A client whose request is approved. It records the claims and the outcomes. */
  function newClient() {
    const notes: unknown[] = [];
    const client = {
      request: async () => approved,
      getRequest: async () => approved,
      async claimRequest(requestId: string) {
        notes.push('claim');
        return { requestId, toolName: 'pay', args: {}, token: 't', fence: 1, leaseUntil: '' };
      },
      async settleRequest(_id: string, { outcome }: { outcome: unknown }) {
        notes.push(outcome);
        return { ...approved, state: 'settled', outcome };
      },
    };
    return { notes, client };
  }

  it.each([undefined, null, 'pay', {}, Promise.resolve(() => 1)])(
    'claims nothing if it is to execute %s',
    async (execute) => {
      const { notes, client } = newClient();
      const call = guardCall(client as never, body);

      await expect(call.execute(execute as never)).rejects.toThrow('`execute` is not a function');
      await expect(executeRequest(client as never, 'r', execute as never)).rejects.toThrow(
        '`execute` is not a function',
      );
      expect(notes).toEqual([]);
    },
  );

  it.each([undefined, null, 'pay', {}])('needs a client in place of %s', (client) => {
    expect(() => guardCall(client as never, body)).toThrow('Pass what `deskClient` returned');
  });

  it('settles with null if the function returns nothing', async () => {
    const { notes, client } = newClient();

    const value = await guardCall(client as never, body).execute((() => {}) as never);

    expect(value).toBeNull();
    expect(notes).toEqual(['claim', { kind: 'value', value: null }]);
  });

  it('is in doubt if its value is not JSON', async () => {
    const { notes, client } = newClient();
    const call = guardCall(client as never, body);

    await expect(call.execute((() => 10n) as never)).rejects.toThrow('is not JSON');
    expect(notes).toEqual([
      'claim',
      { kind: 'unknown', reason: expect.stringContaining('is not JSON') },
    ]);
  });
});
