import { type Desk, type HoldRow, sqliteStore, openDesk } from '@holdpoint/desk';
import { deskApp } from '@holdpoint/desk/http';
import { type SignIn, signIn } from '@holdpoint/desk/sign-in';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { newBank, teller } from '../../support/bank.ts';
import { onlyHold } from '../../support/people.ts';
import { violationsOn } from '../page/support/page-problems.ts';
import { htmlResponse, type LocalSite, openSite } from './support/sites.ts';

let browser: Browser;
let site: LocalSite;
let evil: LocalSite;
let desk: Desk;
let signInProvider: SignIn;

beforeAll(async () => {
  [browser, site, evil] = await Promise.all([launchBrowser(), openSite(), openSite()]);
  const store = await sqliteStore();
  const { url } = site;
  desk = openDesk({ store, url, agents: { teller: { agent: teller, deps: () => newBank() } } });
  signInProvider = signIn({ store, url });
  const app = deskApp(desk, { signIn: signInProvider });
  site.respond = app.fetch;
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([site, evil].map((one) => one?.[Symbol.asyncDispose]()));
});

async function waiting(): Promise<HoldRow> {
  const runId = await desk.start('teller', 'pay acme', { requester: { id: 'ada' } });
  await desk.work({ runId });
  return onlyHold(desk, runId);
}

const stateOf = async ({ id }: HoldRow) => (await desk.hold(id)).state;

/** Opens a browser in which Grace has signed in by a link. */
async function signedIn(): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  const person = { id: 'grace', name: 'Grace' };
  await page.goto((await signInProvider.signInLink({ tenant: 'default', person })).url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${site.url}/inbox`);
  return page;
}

/** Requests the signed-in person from the page, with the headers of the browser. */
const me = (page: Page) =>
  page.evaluate(async () => {
    const response = await fetch('/v1/me');
    return response.ok ? (await response.json()).person.id : response.status;
  });

async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsOn(page)).toEqual([]);
}

describe('in a real browser', () => {
  it('a sign-in link starts a session, and sign-out ends it', async () => {
    const page = await signedIn();

    expect(await me(page)).toBe('grace');
    const cookies = await page.context().cookies();
    expect(cookies).toMatchObject([
      { name: 'holdpoint', httpOnly: true, sameSite: 'Lax', path: '/', secure: false },
    ]);
    expect(await page.evaluate(() => document.cookie)).toBe('');
    // Later requests of the browser do not contain the token.
    const referers = site.seen.flatMap(({ headers }) => headers.get('referer') ?? []);
    expect(referers.filter((one) => one.includes('token'))).toEqual([]);
    await page.evaluate(() =>
      fetch('/sign-out', {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json', 'x-holdpoint-csrf': '1' },
      }),
    );
    expect(await me(page)).toBe(401);
    await page.context().close();
  });

  it('a decision link opens from another site, and its button decides', async () => {
    const hold = await waiting();
    const link = await desk.decisionLink(hold.id, { for: { id: 'grace' }, expiresAfter: 60_000 });
    evil.respond = () => htmlResponse(`<a href="${link.url}">Look at this</a>`);
    const page = await (await browser.newContext({ colorScheme: 'dark' })).newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));

    await page.goto(evil.otherUrl);
    await page.getByRole('link').click();
    await page.getByRole('heading', { name: 'Approve “Pay”?' }).waitFor();
    await expectAccessible(page);
    expect(await stateOf(hold)).toBe('open');
    // The style applies, so the policy allows it. The page loaded nothing else.
    const width = await page.locator('main').evaluate((main) => getComputedStyle(main).maxWidth);
    expect(width).not.toBe('none');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'Approved: pay' }).waitFor();

    expect(await stateOf(hold)).toBe('decided');
    expect(complaints.filter((one) => !one.includes('favicon'))).toEqual([]);
    const token = link.url.split('/').at(-1) ?? '';
    for (const { headers } of [...site.seen, ...evil.seen]) {
      expect(headers.get('referer') ?? '').not.toContain(token);
    }
    const posted = site.seen.findLast(({ method }) => method === 'POST');
    expect(posted?.headers.get('origin')).toBe(site.url);
    expect(posted?.headers.get('sec-fetch-site')).toBe('same-origin');
    await page.reload();
    await page.goBack();
    await page.context().close();
  });

  it.each([
    ['another site', () => evil.otherUrl],
    // Cookies ignore ports, so this server receives them, and can set them.
    ['another server on the same machine', () => evil.url],
  ])('no request that %s makes the browser send has an effect', async (_, evilUrl) => {
    const page = await signedIn();
    const hold = await waiting();
    const link = await desk.decisionLink(hold.id, { for: { id: 'grace' }, expiresAfter: 60_000 });
    const { url: entry } = await signInProvider.signInLink({
      tenant: 'default',
      person: { id: 'mallory' },
    });
    const decision = { digest: hold.digest, decision: { kind: 'approve' } };
    const url = `${site.url}/v1/holds/${hold.id}/decision`;
    const before = site.seen.length;
    const forms: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
      [url, 'application/x-www-form-urlencoded', { digest: hold.digest, decision: 'approve' }],
      [url, 'text/plain', textFormOf(decision)],
      [url, 'multipart/form-data', { digest: hold.digest }],
      [link.url, 'application/x-www-form-urlencoded', { decision: 'approve' }],
      [`${site.url}/sign-out`, 'text/plain', textFormOf({})],
      [
        `${site.url}/enter`,
        'application/x-www-form-urlencoded',
        { token: new URL(entry).searchParams.get('token') ?? '' },
      ],
    ];

    for (const [action, type, fields] of forms) {
      evil.respond = () => htmlResponse(formHtml(action, type, fields));
      await page.goto(evilUrl());
      await Promise.all([page.waitForURL(`${site.url}/**`), page.getByRole('button').click()]);
      expect(await page.locator('body').innerText()).toMatch(
        /unauthenticated|foreign-site|another site/,
      );
    }
    evil.respond = () =>
      htmlResponse(
        `<img src="${link.url}" alt=""><iframe src="${link.url}" title="x"></iframe>
        <link rel="prefetch" href="${link.url}"><link rel="stylesheet" href="${entry}">`,
      );
    await page.goto(evilUrl());
    const outcomes = await page.evaluate(scriptsOf, {
      url,
      link: link.url,
      body: JSON.stringify(decision),
    });
    expect(outcomes).toEqual(outcomes.map(() => 'nothing'));

    expect(site.seen.length).toBeGreaterThan(before + forms.length);
    expect(await stateOf(hold)).toBe('open');
    await page.goto(`${site.url}/inbox`);
    expect(await me(page)).toBe('grace');
    await page.context().close();
  });

  it('Enter after a reason denies, and does not press another button', async () => {
    const hold = await waiting();
    const link = await desk.decisionLink(hold.id, { for: { id: 'grace' }, expiresAfter: 60_000 });
    const page = await (await browser.newContext()).newPage();

    await page.goto(link.url);
    await page.getByLabel('Reason (optional)').fill('Not in March.');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Denied: pay' }).waitFor();

    const { decisions } = await desk.hold(hold.id);
    expect(decisions).toMatchObject([{ decision: { kind: 'deny', reason: 'Not in March.' } }]);
    await page.context().close();
  });

  it('a decision link for another person is rejected', async () => {
    const page = await signedIn();
    const hold = await waiting();
    const link = await desk.decisionLink(hold.id, { for: { id: 'hopper' }, expiresAfter: 60_000 });

    await page.goto(link.url);
    await page.getByRole('button', { name: 'Approve' }).click();

    await page.getByRole('heading', { name: 'This link is for another person' }).waitFor();
    expect(await stateOf(hold)).toBe('open');
    await page.context().close();
  });

  it('the sign-in pages are accessible', async () => {
    const page = await (
      await browser.newContext({ viewport: { width: 320, height: 640 } })
    ).newPage();
    const { url: entry } = await signInProvider.signInLink({
      tenant: 'default',
      person: { id: 'grace' },
    });

    for (const url of [entry, `${site.url}/enter?token=x`, `${site.url}/sign-in`]) {
      await page.goto(url);
      await expectAccessible(page);
      const isWider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(isWider).toBe(false);
    }
    await page.context().close();
  });
});

/** A form whose body, sent as text, is this JSON. */
function textFormOf(value: object): Readonly<Record<string, string>> {
  const [head = '', tail = ''] = [JSON.stringify({ ...value, x: '' }).slice(0, -2), '"}'];
  return { [head]: tail };
}

function formHtml(action: string, type: string, fields: Readonly<Record<string, string>>): string {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  return `<form method="post" enctype="${type}" action="${action}">${inputs.join('')}<button>Win</button></form>`;
}

/** Sends requests as a script of another site could. Returns the outcomes that the script can see. */
async function scriptsOf({ url, link, body }: { url: string; link: string; body: string }) {
  const json = { 'content-type': 'application/json', 'x-holdpoint-csrf': '1' };
  const attempts: RequestInit[] = [
    { method: 'POST', body, mode: 'no-cors' },
    { method: 'POST', body, mode: 'no-cors', headers: { 'content-type': 'text/plain' } },
    { method: 'POST', body, headers: json },
    { method: 'PUT', body, headers: json },
    { method: 'GET', headers: { 'x-http-method-override': 'POST' } },
  ];
  const outcomes: string[] = [];
  for (const address of [url, link]) {
    for (const init of attempts) {
      try {
        const response = await fetch(address, { credentials: 'include', ...init });
        outcomes.push(response.type === 'opaque' ? 'nothing' : `seen ${response.status}`);
      } catch {
        outcomes.push('nothing');
      }
    }
  }
  navigator.sendBeacon(url, new Blob([body], { type: 'text/plain' }));
  return outcomes;
}
