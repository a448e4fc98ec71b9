import {
  type DecisionLinkOptions,
  type Desk,
  type DeskOptions,
  type HoldRow,
  sqliteStore,
  openDesk,
  type Redact,
  type Store,
} from '@holdpoint/desk';
import { type DeskAppOptions, deskApp } from '@holdpoint/desk/http';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newBank, output, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { GRACE, onlyHold } from '../support/people.ts';
import { countingStore } from './support/counting-store.ts';

const URL_OF_DESK = 'https://desk.example/base';
const AN_HOUR = 3_600_000;

interface Shown {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

interface LinkSite {
  readonly desk: Desk;
  readonly bank: ReturnType<typeof newBank>;
  /** Starts a run until it parks, and returns its only hold. */
  waiting(prompt?: string): Promise<HoldRow>;
  /** Creates a link, by default for Grace. */
  link(hold: HoldRow, options?: Partial<DecisionLinkOptions>): Promise<string>;
  look(url: string, method?: string, headers?: Record<string, string>): Promise<Shown>;
  /** Sends the form of the page as a browser does. */
  press(
    url: string,
    form: Record<string, string> | string,
    headers?: Record<string, string>,
  ): Promise<Shown>;
}

type Rules = Pick<DeskOptions<Readonly<Record<string, never>>>, 'expiresAfter' | 'rolesOf'> & {
  readonly approvers?: unknown;
  readonly redact?: Redact;
};

function linkSiteOn(store: Store, http: DeskAppOptions = {}, rules: Rules = {}): LinkSite {
  const bank = newBank();
  const agents = { teller: { agent: teller, deps: () => bank } };
  // Each test passes its rules.
  const desk = openDesk({ store, agents, url: URL_OF_DESK, ...(rules as object) });
  const app = deskApp(desk, { basePath: '/base', authorize: () => undefined, ...http });
  const send = async (url: string, init: RequestInit): Promise<Shown> => {
    const { status, headers, ...response } = await app
      .fetch(new Request(url, init))
      .then(async (one) => ({ status: one.status, headers: one.headers, text: await one.text() }));
    return { status, headers, ...response };
  };
  return {
    desk,
    bank,
    async waiting(prompt = 'pay acme') {
      const runId = await desk.start('teller', prompt, { requester: { id: 'ada' } });
      await desk.work({ runId });
      return onlyHold(desk, runId);
    },
    async link(hold, options) {
      const { url } = await desk.decisionLink(hold.id, {
        for: GRACE,
        expiresAfter: AN_HOUR,
        ...options,
      });
      return url;
    },
    look: (url, method = 'GET', headers = {}) => send(url, { method, headers }),
    press: (url, form, headers) =>
      send(url, {
        method: 'POST',
        body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: 'https://desk.example',
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
      }),
  };
}

const APPROVE = { decision: 'approve' };

describe.each(STORES)('decision link %s', (_, open) => {
  it('shows the call, and decides once as the person that it was made for', async () => {
    await using opened = await open();
    const { desk, bank, waiting, link, look, press } = linkSiteOn(opened.store);
    const hold = await waiting();
    const url = await link(hold);

    expect(url).toMatch(/^https:\/\/desk\.example\/base\/links\/[\w-]{43}$/);
    const page = await look(url);
    expect(page.status).toBe(200);
    expect(page.text).toMatch(/Approve “Pay”\?/);
    expect(page.text).toMatch(/10 euros go to acme/);
    expect(page.text).toMatch(/Grace \(grace\)/);
    const done = await press(url, APPROVE);

    expect(done).toMatchObject({ status: 200, text: expect.stringMatching(/Approved: Pay/) });
    expect(await desk.hold(hold.id)).toMatchObject({
      state: 'decided',
      decisions: [{ by: GRACE, decision: { kind: 'approve' }, digest: hold.digest }],
    });
    await desk.work({ runId: hold.runId });
    expect(bank.paid).toHaveLength(1);
    for (const again of [await press(url, { decision: 'deny' }), await look(url)]) {
      expect(again.status).toBe(410);
      expect(again.text).toMatch(/was used already/);
    }
    const recorded = (await desk.audit(hold.runId)).map(({ kind, by }) => [kind, by?.id]);
    expect(recorded).toEqual(
      expect.arrayContaining([
        ['link-created', undefined],
        ['link-used', 'grace'],
      ]),
    );
  });

  it('denies with a reason, which the model receives', async () => {
    await using opened = await open();
    const { desk, waiting, link, press } = linkSiteOn(opened.store);
    const hold = await waiting();

    await press(await link(hold), { decision: 'deny', reason: ' Not in March. ' });

    expect(await desk.work({ runId: hold.runId })).toMatchObject({
      output: expect.stringMatching(/Not in March/),
    });
  });

  it('changes nothing when a scanner fetches it with any method', async () => {
    await using opened = await open();
    const counted = countingStore(opened.store);
    const { desk, waiting, link, look, press } = linkSiteOn(counted.store);
    const hold = await waiting();
    const url = await link(hold);
    const before = counted.writes();

    const ways: [string, Record<string, string>][] = [
      ['GET', {}],
      ['HEAD', {}],
      ['GET', { 'sec-purpose': 'prefetch', purpose: 'prefetch' }],
      ['GET', { 'x-http-method-override': 'POST' }],
      ['GET', { 'sec-fetch-site': 'cross-site', 'user-agent': 'SafeLinks' }],
    ];
    for (const [method, headers] of ways) {
      for (const address of [url, `${url}?answer=approve&_method=POST`, `${url}#answer=approve`]) {
        expect((await look(address, method, headers)).status).toBe(200);
      }
    }
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      expect((await look(url, method)).status).toBeGreaterThanOrEqual(400);
    }

    expect(counted.writes()).toBe(before);
    expect((await desk.hold(hold.id)).state).toBe('open');
    expect((await press(url, APPROVE)).status).toBe(200);
  });

  it('shows why it is expired, revoked, stale, late or unknown', async () => {
    await using opened = await open();
    const { desk, waiting, link, look, press } = linkSiteOn(
      opened.store,
      {},
      { approvers: { count: 2 } },
    );
    const both = async (url: string) => [await look(url), await press(url, APPROVE)];
    const hold = await waiting();

    const short = await link(hold, { expiresAfter: 1_000 });
    opened.clock.advance(1_000);
    for (const { status, text } of await both(short)) {
      expect([status, text]).toEqual([410, expect.stringMatching(/has expired/)]);
    }
    const revoked = await desk.decisionLink(hold.id, { for: GRACE, expiresAfter: AN_HOUR });
    await desk.revokeLink(revoked.id, { by: { id: 'ada' } });
    await desk.revokeLink(revoked.id);
    for (const { status, text } of await both(revoked.url)) {
      expect([status, text]).toEqual([410, expect.stringMatching(/was revoked/)]);
    }
    const stale = await link(hold);
    const edit = { kind: 'approve', args: { to: 'ada', euros: 1 } } as const;
    await desk.decide(hold.id, edit, { by: { id: 'bob' }, digest: hold.digest });
    for (const { status, text } of await both(stale)) {
      expect([status, text]).toEqual([409, expect.stringMatching(/has changed since/)]);
    }
    const late = await link(hold);
    const { digest } = await desk.hold(hold.id);
    await desk.decide(hold.id, { kind: 'deny' }, { by: { id: 'bob' }, digest });
    for (const { status, text } of await both(late)) {
      expect([status, text]).toEqual([410, expect.stringMatching(/was decided already/)]);
    }
    for (const { status, text } of await both(`${URL_OF_DESK}/links/${'a'.repeat(43)}`)) {
      expect([status, text]).toEqual([404, expect.stringMatching(/no such link/)]);
    }
    expect((await desk.hold(hold.id)).decisions).toHaveLength(2);
    await expect(desk.revokeLink('a'.repeat(64))).rejects.toMatchObject({ code: 'not-found' });
    await expect(desk.forTenant('other').revokeLink(revoked.id)).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it('shows the edited arguments, and votes for them', async () => {
    await using opened = await open();
    const { desk, waiting, link, look, press } = linkSiteOn(
      opened.store,
      {},
      { approvers: { count: 2 } },
    );
    const hold = await waiting();
    const edit = { kind: 'approve', args: { to: 'instead', euros: 3 } } as const;
    const { shown } = await desk.previewEdit(hold.id, edit.args);
    await desk.decide(hold.id, edit, { by: { id: 'bob' }, digest: hold.digest, shown });

    const url = await link(hold);
    const { text } = await look(url);
    expect(text).toMatch(/3 euros go to instead[^]*as edited by an approver[^]*instead/);
    expect(text).not.toMatch(/10 euros go to acme/);
    await press(url, APPROVE);

    expect((await desk.hold(hold.id)).state).toBe('decided');
  });

  it('is one vote per person if the rule needs several', async () => {
    await using opened = await open();
    const { desk, bank, waiting, link, press } = linkSiteOn(
      opened.store,
      {},
      { approvers: { count: 2 } },
    );
    const hold = await waiting();
    const [first, second] = [await link(hold), await link(hold, { for: { id: 'GRACE' } })];

    const voted = await press(first, APPROVE);
    expect(voted.text).toMatch(/1 of 2 approvals/);
    expect(await press(second, APPROVE)).toMatchObject({ status: 409 });
    expect((await desk.hold(hold.id)).state).toBe('open');
    await press(await link(hold, { for: { id: 'bob' } }), APPROVE);

    await desk.work({ runId: hold.runId });
    expect(bank.paid).toHaveLength(1);
  });

  it('applies the rules of every other decision', async () => {
    await using opened = await open();
    const { desk, waiting, link, press } = linkSiteOn(
      opened.store,
      { mayDecide: ({ roles }) => roles?.includes('treasurer') === true },
      { approvers: { roles: ['treasurer'], notRequester: true } },
    );
    const hold = await waiting();

    expect((await press(await link(hold), APPROVE)).status).toBe(403);
    const own = await link(hold, { for: { id: 'ada' }, roles: ['treasurer'] });
    expect((await press(own, APPROVE)).status).toBe(403);
    expect((await desk.hold(hold.id)).decisions).toEqual([]);
    const fine = await link(hold, { roles: ['treasurer'] });
    expect((await press(fine, APPROVE)).status).toBe(200);
  });

  it('has only the roles that its person still has', async () => {
    await using opened = await open();
    const directory = new Map([[GRACE.id, ['treasurer', 'board']]]);
    const { desk, waiting, link, press } = linkSiteOn(
      opened.store,
      {},
      { approvers: { roles: ['treasurer'] }, rolesOf: ({ id }) => directory.get(id) },
    );
    const hold = await waiting();
    const url = await link(hold, { roles: ['treasurer'] });

    directory.set(GRACE.id, ['board']);
    expect((await press(url, APPROVE)).status).toBe(403);
    directory.delete(GRACE.id);
    expect((await press(url, APPROVE)).status).toBe(403);
    expect((await desk.hold(hold.id)).decisions).toEqual([]);
    directory.set(GRACE.id, ['treasurer']);
    expect((await press(url, APPROVE)).status).toBe(200);
  });

  it('does not decide as a person who has left, although everyone may decide', async () => {
    await using opened = await open();
    const { desk, waiting, link, press } = linkSiteOn(
      opened.store,
      {},
      { rolesOf: () => undefined },
    );
    const hold = await waiting();

    expect((await press(await link(hold), APPROVE)).status).toBe(403);
    expect((await desk.hold(hold.id)).decisions).toEqual([]);
  });

  it('accepts only the decision that it is for', async () => {
    await using opened = await open();
    const { desk, waiting, link, look, press } = linkSiteOn(opened.store);
    const hold = await waiting();
    const url = await link(hold, { decision: 'deny' });

    expect((await look(url)).text).not.toMatch(/value="approve"/);
    expect((await press(url, APPROVE)).status).toBe(422);
    for (const form of ['', 'answer=maybe', 'answer=approve&answer=deny', 'answer=edit']) {
      expect((await press(url, form)).status).toBeGreaterThanOrEqual(400);
    }
    expect((await desk.hold(hold.id)).state).toBe('open');
    expect((await press(url, { decision: 'deny' })).status).toBe(200);
  });

  it('decides one hold, and no other hold of any tenant', async () => {
    await using opened = await open();
    const { desk, waiting, link, press } = linkSiteOn(opened.store);
    const [hold, other] = [await waiting(), await waiting('pay another')];
    const url = await link(hold);

    await press(`${url}?holdId=${other.id}`, {
      ...APPROVE,
      holdId: other.id,
      digest: other.digest,
      tenant: 'other',
    });

    expect((await desk.hold(hold.id)).state).toBe('decided');
    expect((await desk.hold(other.id)).state).toBe('open');
  });

  it('works for every tenant, and reads only its own', async () => {
    await using opened = await open();
    const { desk, look, press } = linkSiteOn(opened.store);
    const acme = desk.forTenant('acme');
    const runId = await acme.start('teller', 'pay acme', { requester: { id: 'ada' } });
    await acme.work({ runId });
    const hold = await onlyHold(acme, runId);

    await expect(desk.decisionLink(hold.id, { for: GRACE, expiresAfter: 1 })).rejects.toMatchObject(
      {
        code: 'not-found',
      },
    );
    const { url } = await acme.decisionLink(hold.id, { for: GRACE, expiresAfter: AN_HOUR });
    expect((await look(url)).status).toBe(200);
    expect((await press(url, APPROVE)).status).toBe(200);
    expect((await acme.hold(hold.id)).state).toBe('decided');
  });

  it('decides once if it is submitted several times at once', async () => {
    await using opened = await open();
    const { desk, waiting, link, press } = linkSiteOn(
      opened.store,
      {},
      { approvers: { count: 3 } },
    );
    const hold = await waiting();
    const url = await link(hold);

    const decisions = await Promise.all(
      Array.from({ length: 8 }, (_one, at) =>
        press(url, { decision: at % 2 ? 'approve' : 'deny' }),
      ),
    );

    expect(decisions.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await desk.hold(hold.id)).decisions).toHaveLength(1);
  });
});

describe('decision link', () => {
  it('is stored as a hash only', async () => {
    const store = await sqliteStore();
    const { desk, waiting, link } = linkSiteOn(store);
    const hold = await waiting();
    const url = await link(hold);
    const token = url.split('/').at(-1) ?? '';

    const stored = await store.read((tx) =>
      tx.tokens.findAbout('default', 'decision-link', hold.id),
    );
    expect(stored).toHaveLength(1);
    const everything = JSON.stringify([stored, await desk.audit(hold.runId), await desk.events()]);
    expect(everything).not.toContain(token);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  });

  it('rejects requests that another site makes a browser send', async () => {
    const { desk, waiting, link, press } = linkSiteOn(await sqliteStore());
    const hold = await waiting();
    const url = await link(hold);

    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      expect((await press(url, APPROVE, headers)).status, JSON.stringify(headers)).toBe(403);
    }
    for (const type of ['text/plain', 'application/json', 'multipart/form-data; boundary=x']) {
      expect((await press(url, APPROVE, { 'content-type': type })).status).toBe(415);
    }
    expect((await press(url, `decision=approve&reason=${'x'.repeat(30_000)}`)).status).toBe(413);
    expect((await desk.hold(hold.id)).state).toBe('open');
  });

  it('is rejected for a person who is signed in under another id', async () => {
    const { desk, waiting, link, press } = linkSiteOn(await sqliteStore(), {
      authorize: ({ headers }) => {
        const id = /who=(\w+)/.exec(headers.get('cookie') ?? '')?.[1];
        return id === undefined ? undefined : { tenant: 'default', person: { id } };
      },
    });
    const hold = await waiting();
    const url = await link(hold);

    const other = await press(url, APPROVE, { cookie: 'who=hopper' });
    expect(other.status).toBe(403);
    expect(other.text).toMatch(/for Grace|for <bdi>Grace/);
    expect((await desk.hold(hold.id)).state).toBe('open');
    expect((await press(url, APPROVE, { cookie: 'who=grace' })).status).toBe(200);
  });

  it('is a page without scripts and requests that does not leak its address', async () => {
    const { waiting, link, look } = linkSiteOn(await sqliteStore());
    const { headers, text } = await look(await link(await waiting()));

    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/default-src 'none'/);
    expect(policy).toMatch(/frame-ancestors 'none'/);
    expect(policy).not.toMatch(/script-src|unsafe|https:|\*/);
    // Browsers do not send the path of the page to any site.
    expect(headers.get('referrer-policy')).toBe('strict-origin');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/<script|<img|<link|<a |src=|http|@import|url\(/);
  });

  it('shows model output as text with visible control characters', async () => {
    const evil = `</pre><script>alert(1)</script>"'><img src=x onerror=alert(1)> \u202Egro.live\u200B [a](javascript:alert(1)) &lt;b&gt;`;
    const model = functionModel(({ messages }) =>
      messages.length === 1 ? calls('note', { [evil]: evil }) : says('Done.'),
    );
    const note = tool({
      name: 'note',
      inputSchema: z.record(z.string(), z.string()),
      requiresApproval: true,
      preview: () => evil,
      execute: () => 'noted',
    });
    const agent = new Agent({ model, tools: [note], output });
    const store = await sqliteStore();
    const desk = openDesk({ store, agents: { evil: { agent } }, url: URL_OF_DESK });
    const app = deskApp(desk, { basePath: '/base' });
    const runId = await desk.start('evil', 'Hi', { requester: { id: 'ada', name: evil } });
    await desk.work({ runId });
    const hold = await onlyHold(desk, runId);
    const { url } = await desk.decisionLink(hold.id, {
      for: { id: 'grace', name: evil },
      expiresAfter: AN_HOUR,
    });

    const page = await (await app.fetch(new Request(url))).text();

    expect(page).not.toMatch(/<script|<img|[\u202E\u200B]/);
    expect(page).toContain('⟨U+202E⟩gro.live⟨U+200B⟩');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toMatch(/invisible characters/);
    expect(page).not.toMatch(/<[^>]*\son\w+=/);
  });

  it.each([
    [
      'security L6b: warns of letters that are written from right to left',
      'שלום',
      'שלום',
      /right-to-left text/,
    ],
    [
      'security L6c: marks digits that are struck out',
      '5\u0336',
      '5⟨U+0336⟩',
      /invisible characters/,
    ],
  ])('%s', async (_, payee, shown, warning) => {
    const model = functionModel(({ messages }) =>
      messages.length === 1 ? calls('note', { payee }) : says('Done.'),
    );
    const note = tool({
      name: 'note',
      inputSchema: z.object({ payee: z.string() }),
      requiresApproval: true,
      execute: () => 'noted',
    });
    const agent = new Agent({ model, tools: [note], output });
    const desk = openDesk({
      store: await sqliteStore(),
      agents: { one: { agent } },
      url: URL_OF_DESK,
    });
    const app = deskApp(desk, { basePath: '/base' });
    const runId = await desk.start('one', 'Hi');
    await desk.work({ runId });
    const hold = await onlyHold(desk, runId);
    const { url } = await desk.decisionLink(hold.id, { for: GRACE, expiresAfter: AN_HOUR });

    const text = await (await app.fetch(new Request(url))).text();
    const other = linkSiteOn(await sqliteStore());
    const { text: plain } = await other.look(await other.link(await other.waiting('pay acme')));

    expect(text).toContain(shown);
    expect(text).toMatch(warning);
    expect(plain).not.toMatch(warning);
  });

  it('does not approve a call that it cannot show completely', async () => {
    const { desk, link, look, press } = linkSiteOn(await sqliteStore());
    const runId = await desk.start('teller', `pay ${'x'.repeat(1_000_000)}`);
    await desk.work({ runId });
    const hold = await onlyHold(desk, runId);
    const url = await link(hold);

    const page = await look(url);

    expect(page.text.length).toBeLessThan(150_000);
    expect(page.text).toMatch(/more characters are not shown/);
    expect(page.text).not.toMatch(/value="approve"/);
    expect((await press(url, APPROVE)).status).toBe(422);
    expect((await press(url, { decision: 'deny' })).status).toBe(200);
  });

  it('does not show redacted arguments', async () => {
    const { waiting, link, look } = linkSiteOn(
      await sqliteStore(),
      {},
      { redact: { pay: ['to'] } },
    );

    const { text } = await look(await link(await waiting('pay secretshop')));

    expect(text).not.toMatch(/secretshop/);
    expect(text).toMatch(/\[redacted\]/);
  });

  it('requires an open approval and the address of the desk', async () => {
    const { desk, waiting } = linkSiteOn(await sqliteStore());
    const options = { for: GRACE, expiresAfter: AN_HOUR };
    const external = await waiting('look_up acme');

    await expect(desk.decisionLink(external.id, options)).rejects.toThrow(/needs a result/);
    await expect(desk.decisionLink('0'.repeat(32), options)).rejects.toMatchObject({
      code: 'not-found',
    });
    const hold = await waiting();
    await expect(desk.decisionLink(hold.id, { for: GRACE, expiresAfter: 0 })).rejects.toThrow(
      /expiresAfter/,
    );
    const nowhere = openDesk({ store: await sqliteStore(), agents: {} });
    await expect(nowhere.decisionLink('x', options)).rejects.toThrow(/needs the address/);
  });
});

describe.each(STORES)('decision link of another tenant %s', (_, open) => {
  it('is not found by the desk of a tenant, and works over HTTP', async () => {
    await using opened = await open();
    const { desk, bank, press } = linkSiteOn(opened.store);
    const acme = desk.forTenant('acme');
    const runId = await acme.start('teller', 'pay acme');
    await acme.work({ runId });
    const { url } = await acme.decisionLink((await onlyHold(acme, runId)).id, {
      for: GRACE,
      expiresAfter: AN_HOUR,
    });
    const token = url.split('/').at(-1)!;

    const other = desk.forTenant('other');
    expect(await other.openLink(token)).toBeUndefined();
    expect(await desk.openLink(token)).toBeUndefined();
    for (const one of [token, 'a'.repeat(43)]) {
      await expect(other.decideByLink(one, { kind: 'approve' })).rejects.toMatchObject({
        code: 'not-found',
      });
    }
    expect((await acme.openLink(token))?.status).toBe('open');
    expect(await desk.tenantOfLink(token)).toBe('acme');

    expect((await press(url, { decision: 'approve' })).status).toBe(200);
    await acme.work({ runId });
    expect(bank.paid).toHaveLength(1);
  });
});
