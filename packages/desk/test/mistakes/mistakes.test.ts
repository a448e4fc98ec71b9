import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as desks from '@holdpoint/desk';
import { deskChats } from '@holdpoint/desk/chat-ui';
import { deskClient } from '@holdpoint/desk/client';
import { deskApp } from '@holdpoint/desk/http';
import { signIn } from '@holdpoint/desk/sign-in';
import { verifyWebhook } from '@holdpoint/desk/webhooks';
import { Agent, DynamicToolset, FunctionToolset, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { output } from '../support/bank.ts';
import { scratchRoot } from '../platform/support/scratch-folder.ts';

/** A program without types, which can pass any value. */
type Untyped = (...args: readonly unknown[]) => never;
const untyped = (given: unknown) => given as Untyped;
const { signRunAudit, signTenantAudit, verifyAudit } = desks;
const exportAudit = desks.exportAudit as unknown as (
  ...args: readonly unknown[]
) => AsyncIterator<unknown>;
const openDesk = desks.openDesk as unknown as Untyped;
const sqliteStore = desks.sqliteStore as unknown as Untyped;
const postgresStore = desks.postgresStore as unknown as Untyped;
const serve = deskApp as unknown as Untyped;
const signInWith = signIn as unknown as Untyped;

const executed: unknown[] = [];
const refund = tool({
  name: 'refund',
  inputSchema: z.object({ euros: z.number() }),
  requiresApproval: true,
  execute: (args) => {
    executed.push(args);
    return 'done';
  },
});
const model = functionModel(({ messages }) =>
  messages.at(-1)?.parts.at(-1)?.kind === 'user-prompt'
    ? calls('refund', { euros: 5 })
    : says('Done.'),
);
const agent = new Agent({ name: 'clerk', model, tools: [refund], output });
const store = await desks.sqliteStore();
const agents = { clerk: { agent } };
const good = { store, agents };

const folder = mkdtempSync(join(scratchRoot(), 'holdpoint-mistakes-'));
writeFileSync(join(folder, 'no-database'), 'This is a text, and not a database. '.repeat(100));
afterAll(() => rmSync(folder, { recursive: true }));

/** A mistake: its name, a program with it, and the text of its error. */
type Mistake = readonly [name: string, make: () => unknown, text: string | RegExp];

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

const OPENING: readonly Mistake[] = [
  ['no options', () => openDesk(), 'needs options'],
  ['null as options', () => openDesk(null), '`null`'],
  ['a store as options', () => openDesk(store), '`store` of `openDesk` is missing'],
  ['a misspelt approvers', () => openDesk({ ...good, approver: {} }), 'Did you mean `approvers`?'],
  ['a misspelt mayDecide', () => openDesk({ ...good, maydecide: () => true }), '`mayDecide`'],
  ['an option that is unknown', () => openDesk({ ...good, colour: 1 }), 'Use one of: store'],
  ['no store', () => openDesk({ agents }), '`store` of `openDesk` is missing'],
  [
    'a promise as store',
    () => openDesk({ agents, store: Promise.resolve(store) }),
    'Did you forget `await`?',
  ],
  ['a path as store', () => openDesk({ agents, store: 'desk.sqlite' }), '`"desk.sqlite"`'],
  ['another object as store', () => openDesk({ agents, store: new Map() }), 'not a store'],
  ['no agents', () => openDesk({ store }), 'Pass a record'],
  ['a list of agents', () => openDesk({ store, agents: [agent] }), 'a list'],
  [
    'an agent without { agent }',
    () => openDesk({ store, agents: { clerk: agent } }),
    '{ clerk: { agent } }',
  ],
  [
    'a promise as agent',
    () => openDesk({ store, agents: { clerk: Promise.resolve({ agent }) } }),
    'Did you forget `await`?',
  ],
  ['no agent', () => openDesk({ store, agents: { clerk: {} } }), 'Pass an `Agent`'],
  [
    'a misspelt member of an agent',
    () => openDesk({ store, agents: { clerk: { agent, dep: () => 1 } } }),
    'Did you mean `deps`?',
  ],
  [
    'deps that are no function',
    () => openDesk({ store, agents: { clerk: { agent, deps: {} } } }),
    '`agents.clerk.deps` is an object',
  ],
  [
    'a promise as approvers',
    () => openDesk({ ...good, approvers: Promise.resolve({ roles: ['lead'] }) }),
    'Did you forget `await`?',
  ],
  [
    'a Map as approvers',
    () => openDesk({ ...good, approvers: new Map([['refund', { roles: ['lead'] }]]) }),
    '`approvers` is a Map',
  ],
  [
    'a promise as a rule',
    () => openDesk({ ...good, approvers: { refund: Promise.resolve({ roles: ['lead'] }) } }),
    'Did you forget `await`?',
  ],
  [
    'a Map as a rule',
    () => openDesk({ ...good, approvers: { refund: new Map([['roles', ['lead']]]) } }),
    '`approvers.refund` is not a valid rule: it is a Map',
  ],
  ...['roles', 'people', 'count', 'notRequester'].map(
    (name): Mistake => [
      `an undefined \`${name}\` in a rule`,
      () => openDesk({ ...good, approvers: { refund: { [name]: undefined } } }),
      `\`${name}: undefined\``,
    ],
  ),
  [
    'a promise as http',
    () => openDesk({ ...good, http: Promise.resolve({ notRequester: true }) }),
    'Did you forget `await`?',
  ],
  ['a Map as http', () => openDesk({ ...good, http: new Map([['notRequester', true]]) }), 'a Map'],
  [
    'a promise as redact',
    () => openDesk({ ...good, redact: Promise.resolve({ refund: ['iban'] }) }),
    '`redact` is a promise',
  ],
  ['a Map as redact', () => openDesk({ ...good, redact: new Map() }), '`redact` is a Map'],
  [
    'a promise as retention',
    () => openDesk({ ...good, retention: Promise.resolve({ runs: 1 }) }),
    'Did you forget `await`?',
  ],
  [
    'newcomer 2: a rule for a misspelt tool',
    () => openDesk({ ...good, approvers: { refunds: { roles: ['lead'] } } }),
    /no agent of this desk has a tool .* Did you mean `refund`\?/,
  ],
  [
    'a rule for a tool beside a default rule',
    () => openDesk({ ...good, approvers: { default: {}, refnd: { count: 2 } } }),
    'Did you mean `refund`?',
  ],
  [
    'members of a rule among the names of tools',
    () => openDesk({ ...good, approvers: { refund: {}, count: { count: 2 } } }),
    'pass the rule itself',
  ],
  [
    'a misspelt member of a rule',
    () => openDesk({ ...good, approvers: { refund: { notrequester: true } } }),
    'Did you mean `notRequester`?',
  ],
  ['a role instead of roles', () => openDesk({ ...good, approvers: { role: 'lead' } }), '`roles`'],
  [
    'roles as a text',
    () => openDesk({ ...good, approvers: { roles: 'lead' } }),
    'not a valid rule',
  ],
  ['no roles', () => openDesk({ ...good, approvers: { roles: [] } }), 'not a valid rule'],
  ['a count of 0', () => openDesk({ ...good, approvers: { count: 0 } }), 'not a valid rule'],
  ['a count as a text', () => openDesk({ ...good, approvers: { count: '2' } }), 'not a valid rule'],
  [
    'people with invisible characters',
    () => openDesk({ ...good, approvers: { people: ['ada '] } }),
    'white space',
  ],
  ['approvers as a list', () => openDesk({ ...good, approvers: ['ada'] }), 'a list'],
  ['approvers as a text', () => openDesk({ ...good, approvers: 'lead' }), '`"lead"`'],
  ['approvers as null', () => openDesk({ ...good, approvers: null }), '`null`'],
  ['mayDecide as a list', () => openDesk({ ...good, mayDecide: ['ada'] }), '`mayDecide` is a list'],
  ['notRequester as a text', () => openDesk({ ...good, notRequester: 'yes' }), '`notRequester`'],
  ['shadow as a switch', () => openDesk({ ...good, shadow: true }), '`shadow` is `true`'],
  ['expiresAfter as a text', () => openDesk({ ...good, expiresAfter: '1h' }), '`"1h"`'],
  ['expiresAfter as NaN', () => openDesk({ ...good, expiresAfter: Number.NaN }), 'NaN'],
  ['a lease of 0', () => openDesk({ ...good, lease: 0 }), '`lease` is 0'],
  ['notify as an address', () => openDesk({ ...good, notify: 'https://x.test' }), '`notify`'],
  ['onError that is no function', () => openDesk({ ...good, onError: console }), '`onError`'],
  ['one webhook without a list', () => openDesk({ ...good, webhooks: {} }), 'Pass a list'],
  [
    'a webhook without kinds of events',
    () => openDesk({ ...good, webhooks: [{ url: 'https://a.test', secret: 'x', kinds: [] }] }),
    'an empty list',
  ],
  [
    'a misspelt member of a webhook',
    () => openDesk({ ...good, webhooks: [{ url: 'https://x.test', secret, kind: ['run-stuck'] }] }),
    'Did you mean `kinds`?',
  ],
  [
    'a kind of event that is unknown',
    () =>
      openDesk({ ...good, webhooks: [{ url: 'https://x.test', secret, kinds: ['hold-open'] }] }),
    'Did you mean `hold-opened`?',
  ],
  ['a token instead of authorize', () => openDesk({ ...good, authorize: 'secret' }), '`authorize`'],
  ['a sign-in provider without methods', () => openDesk({ ...good, signIn: {} }), '`signIn`'],
  ['http as a switch', () => openDesk({ ...good, http: true }), 'Pass an object'],
  [
    'a misspelt rule under http',
    () => openDesk({ ...good, http: { notRequestor: true } }),
    'Did you mean `notRequester`?',
  ],
  [
    'mayDecide under http as a text',
    () => openDesk({ ...good, http: { mayDecide: 'lead' } }),
    '`mayDecide`',
  ],
  [
    'a misspelt limit of streams',
    () => openDesk({ ...good, http: { events: { perperson: 1 } } }),
    'Did you mean `perPerson`?',
  ],
  [
    'redaction for a misspelt tool',
    () => openDesk({ ...good, redact: { refnd: ['euros'] } }),
    /`redact` has a rule for `refnd`.* would be visible.* Did you mean `refund`\?/,
  ],
  [
    'redaction for a misspelt tool under http',
    () => openDesk({ ...good, http: { redact: { refnd: ['euros'] } } }),
    'Did you mean `refund`?',
  ],
  ['redact as a switch', () => openDesk({ ...good, redact: true }), '`redact` is `true`'],
  [
    'redaction of one member that is no list',
    () => openDesk({ ...good, redact: { refund: 'euros' } }),
    '`redact.refund` is `"euros"`. Pass a list of member names',
  ],
  [
    'redaction of no members',
    () => openDesk({ ...good, redact: { refund: [] } }),
    '`redact.refund` is an empty list',
  ],
  [
    'a misspelt member of a redaction rule',
    () => openDesk({ ...good, redact: { refund: { arg: ['euros'] } } }),
    'Did you mean `args`?',
  ],
  [
    'a redaction rule without args',
    () => openDesk({ ...good, redact: { refund: { preview: () => '' } } }),
    '`redact.refund.args` is missing',
  ],
  [
    'a redacted preview that is no function',
    () => openDesk({ ...good, redact: { refund: { args: ['euros'], preview: 'hidden' } } }),
    '`redact.refund.preview`',
  ],
  ['dynamicTools as a text', () => openDesk({ ...good, dynamicTools: 'pay' }), '`dynamicTools`'],
  [
    'an unknown option of deskApp',
    () => serve(openDesk(good), { authorise: () => undefined }),
    'Did you mean `authorize`?',
  ],
  ['signIn without options', () => signInWith(), 'needs options'],
  ['signIn without a store', () => signInWith({ url: 'http://localhost' }), '`store` of `signIn`'],
  [
    'a session without an end',
    () => signInWith({ store, url: 'http://localhost', endsAfter: Number.NaN }),
    '`endsAfter` is NaN',
  ],
  [
    'a misspelt member of openId',
    () => signInWith({ store, url: 'http://localhost', openId: { issuer: 'x', clientID: 'y' } }),
    'Did you mean `clientId`?',
  ],
];

const STORING: readonly Mistake[] = [
  [
    'sqliteStore with a path instead of options',
    () => sqliteStore('desk.sqlite'),
    'Pass an object',
  ],
  ['sqliteStore with a misspelt path', () => sqliteStore({ file: 'x' }), 'Unknown option `file`'],
  [
    'sqliteStore with an empty path',
    () => sqliteStore({ path: '' }),
    '`path` of `sqliteStore` is empty',
  ],
  [
    'sqliteStore in a folder that is missing',
    () => sqliteStore({ path: join(folder, 'missing', 'desk.sqlite') }),
    /`.*missing.desk\.sqlite` cannot be opened/,
  ],
  [
    'sqliteStore with a file that is no database',
    () => sqliteStore({ path: join(folder, 'no-database') }),
    /no-database` cannot be opened: file is not a database/,
  ],
  ['sqliteStore with a misspelt clock', () => sqliteStore({ clock: () => 1 }), 'Unknown option'],
  ['postgresStore without options', () => postgresStore(), 'needs options'],
  ['postgresStore without a pool', () => postgresStore({}), '`pool` of `postgresStore` is missing'],
  ['postgresStore with an address', () => postgresStore({ pool: 'postgres://x' }), 'Pass a `Pool`'],
];

const entries: readonly unknown[] = [];
const verifying = { tenant: 'default', entries };
const request = () => new Request('http://localhost', { method: 'POST', body: '{}' });

/** All other functions of the package with options. */
const FURTHER: readonly Mistake[] = [
  [
    'verifyAudit with misspelt checkpoints',
    () => untyped(verifyAudit)({ ...verifying, checkpoint: [{}] }),
    'Did you mean `checkpoints`?',
  ],
  [
    'verifyAudit with one checkpoint',
    () => untyped(verifyAudit)({ ...verifying, checkpoints: {} }),
    '`checkpoints` of `verifyAudit` is an object. Pass a list',
  ],
  [
    'verifyAudit with a key in place of keys',
    () => untyped(verifyAudit)({ ...verifying, publicKeys: 'key' }),
    '`publicKeys` of `verifyAudit`',
  ],
  ['verifyAudit without a tenant', () => untyped(verifyAudit)({ entries }), '`tenant`'],
  [
    'verifyAudit with a text as entries',
    () => untyped(verifyAudit)({ ...verifying, entries: 'audit.jsonl' }),
    'Pass the entries of `exportAudit`',
  ],
  ['verifyAudit without entries', () => untyped(verifyAudit)({ tenant: 'default' }), '`entries`'],
  [
    'exportAudit with a misspelt tenant',
    () => exportAudit(store, { tenantt: 'default' }).next(),
    'Did you mean `tenant`?',
  ],
  ['exportAudit without options', () => exportAudit(store).next(), 'needs options'],
  ['exportAudit without a store', () => exportAudit().next(), '`store`'],
  ['signRunAudit without a run', () => untyped(signRunAudit)(store, verifying), 'entries'],
  ['signRunAudit of no run', () => untyped(signRunAudit)(store, { tenant: 'a' }), '`runId`'],
  ['signTenantAudit of no tenant', () => untyped(signTenantAudit)(store, {}), '`tenant`'],
  ['deskApp without a desk', () => serve(), 'Pass what `openDesk` returned'],
  ['deskChats without options', () => untyped(deskChats)(openDesk(good)), 'needs options'],
  [
    'deskChats with a misspelt agent',
    () => untyped(deskChats)(openDesk(good), { agent: 'clark' }),
    'Did you mean `clerk`?',
  ],
  [
    'deskChats with a misspelt option',
    () => untyped(deskChats)(openDesk(good), { agents: 'clerk' }),
    'Did you mean `agent`?',
  ],
  ['verifyWebhook without a secret', () => untyped(verifyWebhook)(request()), 'secret'],
  ['verifyWebhook with no secrets', () => untyped(verifyWebhook)(request(), []), 'secret'],
  ['verifyWebhook with an empty secret', () => untyped(verifyWebhook)(request(), ''), 'secret'],
];

describe('mistakes at the desk', () => {
  it.each(FURTHER)('%s is an error', async (_name, make, text) => {
    const made = (async () => make())();
    await expect(made).rejects.toThrow(text);
    await expect(made).rejects.toMatchObject({ name: 'UserError' });
  });

  it.each([
    [{ url: 'http://localhost', header: {} }, 'Unknown option `header` of `deskClient`'],
    [{ url: 'localhost/desk path' }, '`url` of `deskClient`'],
    [undefined, '`url` of `deskClient`'],
    ['http://localhost', 'The options of `deskClient` are a text. Pass an object'],
    [{ url: 'http://localhost', fetch: 'x' }, '`fetch` of `deskClient`'],
  ])('a client with %j is an error', (options, text) => {
    expect(() => untyped(deskClient)(options)).toThrow(text);
  });

  it.each([...OPENING, ...STORING])('%s is an error', async (_name, make, text) => {
    await expect((async () => make())()).rejects.toThrow(text);
    await expect((async () => make())()).rejects.toMatchObject({ name: 'UserError' });
  });
});

describe('mistakes at an open desk', () => {
  /** The desk without its types. */
  const desk = desks.openDesk(good) as unknown as Record<string, Untyped>;
  let hold: desks.HoldRow;
  const by = { id: 'bob' };

  beforeAll(async () => {
    const opened = desks.openDesk(good);
    const runId = await opened.start('clerk', 'Refund.', { requester: { id: 'ada' } });
    await opened.work({ runId });
    hold = (await opened.holds({ runId })).items[0]!;
  });

  const CALLS: readonly Mistake[] = [
    ['start without a prompt', () => desk['start']!('clerk'), 'prompt of `desk.start` is missing'],
    ['start of an unknown agent', () => desk['start']!('clark', 'x'), 'clerk'],
    [
      'start with a misspelt requester',
      () => desk['start']!('clerk', 'x', { requestor: by }),
      '`requester`',
    ],
    [
      'start with a name as requester',
      () => desk['start']!('clerk', 'x', { requester: 'ada' }),
      'The requester is `"ada"`. Pass an object with an `id`.',
    ],
    [
      'message without a prompt',
      () => desk['message']!(hold.conversationId),
      'prompt of `desk.message`',
    ],
    [
      'message with a misspelt onOpenHolds',
      () => desk['message']!(hold.conversationId, 'x', { onOpenHolds: 'supercede' }),
      'Did you mean `supersede`?',
    ],
    [
      'answer without options',
      () => desk['decide']!(hold.id, { kind: 'approve' }),
      'needs options',
    ],
    [
      'answer without a digest',
      () => desk['decide']!(hold.id, { kind: 'approve' }, { by }),
      'has no `digest`',
    ],
    [
      'answer without an approver',
      () => desk['decide']!(hold.id, { kind: 'approve' }, { digest: hold.digest }),
      'The approver `by` is missing. Pass an object with an `id`.',
    ],
    [
      'a decision by a name',
      () => desk['decide']!(hold.id, { kind: 'approve' }, { by: 'ada', digest: hold.digest }),
      'The approver `by` is `"ada"`. Pass an object with an `id`.',
    ],
    [
      'a decision with the hold instead of its id',
      () => desk['decide']!(hold, { kind: 'approve' }, { by, digest: hold.digest }),
      '`holdId` is an object. Pass its `id`.',
    ],
    ['cancel with a run', () => desk['cancel']!({ id: hold.runId }, { by }), 'Pass its `id`.'],
    ['retry with a promise', () => desk['retry']!(Promise.resolve(), { by }), 'forget `await`?'],
    ['revokeGrant with a number', () => desk['revokeGrant']!(7, { by }), '`grantId` is `7`'],
    ['decideByLink without a token', () => desk['decideByLink']!(), '`token` is missing'],
    [
      'answer with a misspelt option',
      () => desk['decide']!(hold.id, { kind: 'approve' }, { by, digest: hold.digest, role: ['x'] }),
      'Did you mean `roles`?',
    ],
    [
      'answer with roles as a text',
      () => desk['decide']!(hold.id, { kind: 'approve' }, { by, digest: hold.digest, roles: 'x' }),
      /^Invalid `roles`.* Pass a list of texts\.$/,
    ],
    [
      'answer with a misspelt kind',
      () => desk['decide']!(hold.id, { kind: 'approved' }, { by, digest: hold.digest }),
      'kind',
    ],
    [
      'answer with true',
      () => desk['decide']!(hold.id, true, { by, digest: hold.digest }),
      "Pass an object such as `{ kind: 'approve' }`.",
    ],
    [
      'a decision with arguments that are a text',
      () => desk['decide']!(hold.id, { kind: 'approve', args: 'x' }, { by, digest: hold.digest }),
      'args',
    ],
    ['work without options', () => desk['work']!(), 'needs options'],
    ['work without a run', () => desk['work']!({}), 'runId'],
    ['work with an id instead of options', () => desk['work']!('run-1'), 'Pass an object'],
    [
      'startWorker with a signal that is none',
      () => desk['startWorker']!({ signal: {} }),
      '`signal`',
    ],
    [
      'startWorker with no slots',
      () => desk['startWorker']!({ signal: AbortSignal.abort(), concurrency: 0 }),
      '`concurrency` is 0',
    ],
    ['cancel without a person', () => desk['cancel']!(hold.runId), 'needs options'],
    [
      'retry without a person',
      () => desk['retry']!(hold.runId, {}),
      'The person who retries is missing',
    ],
    ['revokeGrant without a person', () => desk['revokeGrant']!('x'), 'needs options'],
    ['run without an id', () => desk['run']!(), '`runId` is missing. Pass a text.'],
    ['run with a promise', () => desk['run']!(Promise.resolve('x')), 'Did you forget `await`?'],
    ['waitFor with a promise', () => desk['waitFor']!(Promise.resolve('x')), 'forget `await`?'],
    ['hold without an id', () => desk['hold']!(), '`holdId` is missing'],
    ['hold with an empty id', () => desk['hold']!(''), '`holdId` is empty'],
    ['audit without a run', () => desk['audit']!(), '`runId` is missing'],
    ['grant without an id', () => desk['grant']!(), '`grantId` is missing'],
    ['deliveries without an event', () => desk['deliveries']!(), '`eventId` is missing'],
    ['openLink without a token', () => desk['openLink']!(), '`token` is missing'],
    ['tenantOfLink without a token', () => desk['tenantOfLink']!(), '`token` is missing'],
    ['revokeLink without an id', () => desk['revokeLink']!(), '`linkId` is missing'],
    ['onChange without a listener', () => desk['onChange']!(), '`listener` is missing'],
    ['rightsOf without a hold', () => desk['rightsOf']!(undefined, { by }), '`hold` is missing'],
    [
      'replayDeadLetter without a dead letter',
      () => desk['replayDeadLetter']!(undefined, { by }),
      '`kind` is missing',
    ],
    ['holds with a text', () => desk['holds']!('open'), 'Pass an object'],
    ['holds with a misspelt member', () => desk['holds']!({ state: 'open' }), 'mean `states`?'],
    ['holds in an unknown state', () => desk['holds']!({ states: ['opened'] }), 'mean `open`?'],
    ['holds in a state that is no list', () => desk['holds']!({ states: 'open' }), 'Pass a list'],
    ['runs with a misspelt member', () => desk['runs']!({ state: 'parked' }), 'mean `states`?'],
    ['runs in an unknown state', () => desk['runs']!({ states: ['done'] }), 'Use one of: ready'],
    ['grants with a text', () => desk['grants']!('x'), 'Pass an object'],
    ['events with a misspelt member', () => desk['events']!({ before: 'x' }), 'Unknown option'],
    ['events after a text', () => desk['events']!({ after: 'x' }), '`next` of an earlier page'],
    ['dead letters in pages of -1', () => desk['deadLetters']!({ limit: -1 }), '`limit` is -1'],
    [
      'decide with a misspelt kind',
      () => desk['decide']!(hold.id, { kind: 'approved' }, { by, digest: hold.digest }),
      /^Invalid decision: `kind`: .*'approve' \| 'deny'/,
    ],
  ];

  it.each(CALLS)('%s is an error, and nothing is decided', async (_name, make, text) => {
    await expect((async () => make())()).rejects.toThrow(text);

    const opened = desks.openDesk(good);
    expect(await opened.hold(hold.id)).toEqual({ ...hold, decisions: [] });
    expect(executed).toEqual([]);
  });

  it('a link for a hold instead of its id, with a misspelt decision, or without an expiry is an error', async () => {
    const linked = desks.openDesk({ ...good, url: 'http://localhost' });
    const link = linked.decisionLink.bind(linked) as unknown as (
      ...args: unknown[]
    ) => Promise<never>;
    await expect(link(hold.id)).rejects.toThrow('needs options');
    // Programs without types may pass a hold.
    await expect(linked.callbackUrl(hold as never)).rejects.toThrow('Pass its `id`.');
    await expect(link(hold, { for: by, expiresAfter: 1_000 })).rejects.toThrow('Pass its `id`.');
    const options = { for: by, expiresAfter: 1_000 };
    await expect(link(hold.id, { ...options, decision: 'aprove' })).rejects.toThrow('`approve`');
    for (const expiresAfter of [undefined, Number.NaN, Number.POSITIVE_INFINITY, 0, '1h']) {
      await expect(link(hold.id, { ...options, expiresAfter })).rejects.toThrow('expiresAfter');
    }
  });
});

describe('newcomer 2: rules by the names of tools', () => {
  const approvers = { refund: { roles: ['lead'] } };
  const opened = (tools: object, options: object = {}) =>
    openDesk({
      store,
      approvers,
      agents: { clerk: { agent: new Agent({ model, output, ...tools }) } },
      ...options,
    });

  it('find the tools of toolsets, of changed toolsets and of sub-agents', () => {
    const toolset = new FunctionToolset([refund]);
    opened({ toolsets: [toolset] });
    opened({ toolsets: [toolset.approvalRequired().filtered(() => true)] });
    opened({ tools: [agent.asTool()] });
    expect(() => opened({ toolsets: [toolset.prefixed('shop')] })).toThrow(
      'Use one of: shop_refund',
    );
    expect(() => opened({ tools: [] })).toThrow('no agent of this desk has a tool');
    openDesk({
      ...good,
      approvers: { shop_refund: {}, pay: {} },
      agents: {
        clerk: { agent: new Agent({ model, output, toolsets: [toolset.prefixed('shop')] }) },
        other: {
          agent: new Agent({ model, output, toolsets: [toolset.renamed({ pay: 'refund' })] }),
        },
      },
    });
  });

  it('must name tools that are known only in a run in `dynamicTools`', () => {
    const dynamic = { toolsets: [new DynamicToolset(() => new FunctionToolset([refund]))] };
    expect(() => opened(dynamic)).toThrow('`dynamicTools`');
    opened(dynamic, { dynamicTools: ['refund'] });
  });

  it('leave tools without a rule to the `default` rule, or to every approver', async () => {
    for (const [rule, role] of [
      [{ default: { roles: ['lead'] } }, 'clerk'],
      [{ other: { roles: ['lead'] } }, undefined],
    ] as const) {
      const here = desks.openDesk({ ...good, approvers: rule, dynamicTools: ['other'] });
      const runId = await here.start('clerk', 'Refund.');
      await here.work({ runId });
      const [hold] = (await here.holds({ runId })).items;
      const decided = here.decide(
        hold!.id,
        { kind: 'approve' },
        { by: { id: 'bob' }, roles: ['clerk'], digest: hold!.digest },
      );
      if (role === undefined) expect(await decided).toMatchObject({ state: 'decided' });
      else await expect(decided).rejects.toMatchObject({ code: 'may-not-decide' });
    }
  });
});
