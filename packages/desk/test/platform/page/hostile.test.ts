import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { GRACE, type InboxSite, inboxSite, type Somebody } from './support/inbox-site.ts';
import { openCall, Visitors } from './support/visitors.ts';

/** What somebody writes who wants to do more than be read. */
const EVIL =
  `"'><script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>` +
  '<a href="javascript:alert(4)">here</a> [link](javascript:alert(5)) ![x](http://evil.test/x.png) ' +
  '**bold** https://evil.test/ {{7*7}} ${alert(6)} invoice\u202Etxt.exe\u202C zero\u200Bwidth\u0000';

/** What of it must be on the screen, in this order. */
const SHOWN = 'invoice⟨U+202E⟩txt.exe⟨U+202C⟩ zero⟨U+200B⟩width⟨U+0000⟩';

/** Names of roles are short. */
const ROLE = '<img src=x onerror=alert(7)> **r\u202Eole**';

const MALLORY: Somebody = { id: 'mallory', name: EVIL, roles: [ROLE] };

describe('what others write', () => {
  let browser: Browser;
  let site: InboxSite;
  let visitors: Visitors;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    site = await inboxSite({
      people: [MALLORY, GRACE],
      requester: MALLORY,
      odd: EVIL,
      desk: {
        dynamicTools: [EVIL],
        approvers: {
          anything: { count: 3, remember: 'tenant' },
          [EVIL]: { roles: [ROLE, 'refunds'] },
        },
      },
    });
    visitors = new Visitors(browser, site);
  });
  afterEach(async () => {
    await visitors[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  /** It is text, and nothing but text: nothing was made of it, nothing was loaded, nothing ran. */
  async function expectInert(page: Page): Promise<void> {
    const made = await page.evaluate(() => ({
      scripts: [...document.scripts].filter(({ src }) => !src.startsWith(location.origin)).length,
      images: document.images.length,
      links: [...document.links].filter(({ href }) => !href.startsWith(location.origin)).length,
      bold: document.querySelectorAll('bdi *:not(mark)').length,
      svgs: document.querySelectorAll('svg[onload], [onerror], [onload]').length,
      styles: document.querySelectorAll('[style]').length,
      hidden: /[\u202A-\u202E\u2066-\u2069\u200B]|(?![\n\t])\p{Cc}/u.test(document.body.innerText),
    }));
    expect(made).toEqual({
      scripts: 0,
      images: 0,
      links: 0,
      bold: 0,
      svgs: 0,
      styles: 0,
      hidden: false,
    });
    visitors.expectNoComplaints();
  }

  it('is inert text in every place of a call and its conversation', async () => {
    const asked: string[] = [];
    const runId = await site.ask(EVIL, {
      says: EVIL,
      toolName: 'anything',
      args: { preview: EVIL, [EVIL]: EVIL, list: [EVIL, { [EVIL]: [EVIL] }], title: '__proto__' },
    });
    const [hold] = (await site.desk.holds({ runId })).items;
    const by = { id: MALLORY.id, name: EVIL };
    await site.desk.answer(hold?.id ?? '', { kind: 'approve' }, { by, digest: hold?.digest ?? '' });
    const page = await visitors.open(GRACE);
    page.on('request', (request) => asked.push(new URL(request.url()).host));
    await page
      .locator('.hold-row')
      .getByText(/and \d+ characters more/)
      .first()
      .waitFor();
    await expectInert(page);
    await page.locator('.hold-row').first().click();
    await page.getByRole('region', { name: 'Your answer' }).waitFor();
    await page.getByRole('heading', { name: 'The conversation so far' }).waitFor();

    // Preview, name and value of a member, and inside of lists; the requester and whoever has voted; what was said.
    for (const place of ['.preview', '.arguments', '.conversation']) {
      await page.locator(place).getByText(SHOWN).first().waitFor();
    }
    for (const summary of await page.locator('summary').all()) await summary.click();
    expect(await page.getByText('⟨U+202E⟩').count()).toBeGreaterThan(8);
    for (const place of ['.sheet-head', '.votes']) {
      expect(await page.locator(place).innerText()).toContain('"\'><script>alert(1)</script>');
    }
    expect(await page.title()).toBe('anything · Inbox');
    await expectInert(page);
    await page.getByRole('button', { name: 'Show as JSON' }).first().click();
    await expectInert(page);
    await page.keyboard.press('a');
    await page.getByRole('dialog').waitFor();
    await expectInert(page);
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: 'Edit the arguments' }).waitFor();
    await page.getByLabel('title').fill(EVIL);
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.locator('.changes').waitFor();
    await expectInert(page);

    await page.goto(`${site.url}/inbox/runs/${runId}`);
    await page.getByRole('heading', { name: 'The conversation so far' }).waitFor();
    await expectInert(page);
    await page.goto(`${site.url}/inbox/audit/${runId}`);
    await page.locator('.audit-list li').first().waitFor();
    await expectInert(page);
    expect([...new Set(asked)]).toEqual([new URL(site.url).host]);
  });

  it('is inert text in the reason of a denial, in results, and in refusals', async () => {
    await site.ask('One', { toolName: 'refund', args: { order: EVIL, euros: 1, reason: 'late' } });
    const page = await visitors.open(GRACE);
    await openCall(page, /1 euros/);
    const [hold] = (await site.desk.holds()).items;
    const { id = '', digest = '' } = hold ?? {};
    await page.route('**/answer', async (route) => {
      const by = { id: MALLORY.id, name: EVIL };
      await site.desk.answer(id, { kind: 'deny', message: EVIL }, { by, digest });
      await route.continue();
    });

    await page.getByRole('button', { name: 'Approve', exact: true }).click();

    await page.getByText(/was faster and has denied it/).waitFor();
    await page.locator('.outcome').getByText(SHOWN).waitFor();
    visitors.complaints.splice(0);
    await expectInert(page);
  });

  it('is inert text in the name, the schema, the metadata and the error of a tool', async () => {
    const runId = await site.ask('One', { toolName: EVIL, args: { value: 'x' } });
    const page = await visitors.open(GRACE);
    await page.locator('.hold-row').first().click();
    await page.getByRole('region', { name: 'Your answer' }).waitFor();

    await page.locator('.facts').getByText(SHOWN).nth(1).waitFor();
    for (const place of ['.sheet-head', '.arguments']) {
      expect(await page.locator(place).innerText()).toContain('<script>alert(1)</script>');
    }
    await page.locator('.arguments').getByRole('button', { name: 'Show more of it' }).click();
    await page.locator('.arguments').getByText(SHOWN).first().waitFor();
    await page
      .locator('.votes')
      .getByText('<img src=x onerror=alert(7)> **r⟨U+202E⟩ole**')
      .waitFor();
    expect(await page.title()).toMatch(/^"'><script>alert\(1\).* · Inbox$/);
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: 'Edit the arguments' }).waitFor();
    await expectInert(page);

    // It throws what it says, so nobody knows whether it has run.
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.locator('.outcome').waitFor();
    const doubted = await vi.waitFor(
      async () => {
        await site.desk.work({ runId });
        const [hold] = (await site.desk.holds({ runId })).items;
        return hold ?? expect.fail('Nothing waits yet.');
      },
      { timeout: 20_000, interval: 300 },
    );
    await page.goto(`${site.url}/inbox/holds/${doubted.id}`);
    await page.getByText('Technical details').click();
    await page.locator('.warnings').getByText(SHOWN).waitFor();
    await page.getByRole('button', { name: 'Execute again …' }).waitFor();
    await expectInert(page);
  });

  it('is inert text in a grant', async () => {
    const runId = await site.ask('One', { toolName: 'anything', args: { [EVIL]: EVIL } });
    const digests = async () => (await site.desk.holds({ runId })).items[0];
    const first = await digests();
    await site.desk.answer(
      first?.id ?? '',
      { kind: 'approve' },
      {
        by: { id: MALLORY.id, name: EVIL },
        digest: first?.digest ?? '',
        remember: { match: { args: { [EVIL]: EVIL } }, scope: 'tenant' },
      },
    );
    for (const id of ['b', 'c']) {
      const now = await digests();
      await site.desk.answer(
        now?.id ?? '',
        { kind: 'approve' },
        { by: { id }, digest: now?.digest ?? '' },
      );
    }
    const page = await visitors.open(GRACE, { path: '/grants' });

    await page.locator('.card').getByText(SHOWN).first().waitFor();
    await expectInert(page);
  });

  it('does not freeze the page, if it has ten million characters', async () => {
    const text = 'A very long story. '.repeat(550_000);
    await site.ask('Tell me everything.', { toolName: 'anything', args: { text, short: 'x' } });
    const page = await visitors.open(GRACE);
    // How long the page could not do anything else, at worst.
    await page.evaluate(() => {
      const longest = { ms: 0 };
      Object.assign(globalThis, { longest });
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) longest.ms = Math.max(longest.ms, duration);
      }).observe({ type: 'longtask', buffered: true });
    });
    await openCall(page, /A very long story/);
    await page
      .getByText(/800 of 10,450,000 characters are shown/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Show more of it' }).first().click();
    await page.getByText(/8,000 of 10,450,000 characters are shown/).waitFor();
    await page.getByRole('button', { name: 'Show as JSON' }).click();
    await page
      .getByText(/2,000 of [\d,]+ characters are shown/)
      .first()
      .waitFor();
    await page.keyboard.press('e');
    await page.getByText(/is too large to be changed here/).waitFor();
    const started = Date.now();
    await page.getByLabel('short').fill('y');
    await page.getByText('1 change.').waitFor();

    expect(Date.now() - started).toBeLessThan(2_000);
    const longest = await page.evaluate(
      () => (Reflect.get(globalThis, 'longest') as { ms: number }).ms,
    );
    expect(longest).toBeLessThan(1_500);
    visitors.expectNoComplaints();
  });
});
