import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import {
  GRACE,
  type InboxSite,
  inboxSite,
  type Account,
  DECISION_ROUTE,
} from './support/inbox-site.ts';
import { openHold, readArguments, Visitors } from './support/visitors.ts';

/** Text that attacks the page. */
const EVIL =
  `"'><script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>` +
  '<a href="javascript:alert(4)">here</a> [link](javascript:alert(5)) ![x](http://evil.test/x.png) ' +
  '**bold** https://evil.test/ {{7*7}} ${alert(6)} invoice\u202Etxt.exe\u202C zero\u200Bwidth\u0000';

/** The part of it with hidden characters, as the page must show it. */
const SHOWN = 'invoice⟨U+202E⟩txt.exe⟨U+202C⟩ zero⟨U+200B⟩width⟨U+0000⟩';

const ROLE = '<img src=x onerror=alert(7)> **r\u202Eole**';

const MALLORY: Account = { id: 'mallory', name: EVIL, roles: [ROLE] };

describe('hostile text', () => {
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
          anything: { count: 3, grants: 'tenant' },
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

  /** Expects that the text became no markup, loaded nothing and executed nothing. */
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
    visitors.expectNoErrors();
  }

  it('is plain text everywhere on a hold, its run and its audit', async () => {
    const hosts: string[] = [];
    const runId = await site.startRun(EVIL, {
      text: EVIL,
      toolName: 'anything',
      args: { preview: EVIL, [EVIL]: EVIL, list: [EVIL, { [EVIL]: [EVIL] }], title: '__proto__' },
    });
    await site.decide(await site.openHold(runId), MALLORY, { kind: 'approve' });
    const page = await visitors.open(GRACE);
    page.on('request', (request) => hosts.push(new URL(request.url()).host));
    await page
      .locator('.row')
      .getByText(/and \d+ more characters/)
      .first()
      .waitFor();
    await expectInert(page);
    await page.locator('.row').first().click();
    await page.getByRole('region', { name: 'Your decision' }).waitFor();
    await page.getByRole('heading', { name: 'Conversation' }).waitFor();

    for (const selector of ['.preview', '.arguments', '.conversation']) {
      await page.locator(selector).getByText(SHOWN).first().waitFor();
    }
    for (const summary of await page.locator('summary').all()) await summary.click();
    expect(await page.getByText('⟨U+202E⟩').count()).toBeGreaterThan(8);
    for (const selector of ['.sheet-head', '.approvals']) {
      expect(await page.locator(selector).innerText()).toContain('"\'><script>alert(1)</script>');
    }
    expect(await page.title()).toBe('(1) Anything · Holdpoint');
    await expectInert(page);
    await page.getByRole('button', { name: 'Show as JSON' }).first().click();
    await expectInert(page);
    await readArguments(page);
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
    await page.getByRole('heading', { name: 'Conversation' }).waitFor();
    await expectInert(page);
    await page.goto(`${site.url}/inbox/audit/${runId}`);
    await page.locator('.audit-list li').first().waitFor();
    await expectInert(page);
    expect([...new Set(hosts)]).toEqual([new URL(site.url).host]);
  });

  it('is plain text in the reason of a denial and in a rejection', async () => {
    await site.startRun('One', {
      toolName: 'refund',
      args: { order: EVIL, euros: 1, reason: 'late' },
    });
    const page = await visitors.open(GRACE);
    await openHold(page, /€1/);
    const hold = await site.openHold();
    await page.route(DECISION_ROUTE, async (route) => {
      await site.decide(hold, MALLORY, { kind: 'deny', reason: EVIL });
      await route.continue();
    });

    await page.getByRole('button', { name: 'Approve', exact: true }).click();

    await page.getByText(/denied this call first/).waitFor();
    await page.locator('.outcome').getByText(SHOWN).waitFor();
    visitors.errors.splice(0);
    await expectInert(page);
  });

  it('is plain text in the name, the schema, the metadata and the error of a tool', async () => {
    const runId = await site.startRun('One', { toolName: EVIL, args: { value: 'x' } });
    const page = await visitors.open(GRACE);
    await page.locator('.row').first().click();
    await page.getByRole('region', { name: 'Your decision' }).waitFor();

    await page.locator('.facts').getByText(SHOWN).nth(1).waitFor();
    for (const selector of ['.sheet-head', '.arguments']) {
      expect(await page.locator(selector).innerText()).toContain('<script>alert(1)</script>');
    }
    await page.locator('.arguments').getByRole('button', { name: 'Show more text' }).click();
    await page.locator('.arguments').getByText(SHOWN).first().waitFor();
    await page
      .locator('.approvals')
      .getByText('<img src=x onerror=alert(7)> **r⟨U+202E⟩ole**')
      .waitFor();
    expect(await page.title()).toMatch(/^\(1\) "'><script>alert\(1\).* · Holdpoint$/);
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: 'Edit the arguments' }).waitFor();
    await expectInert(page);

    // It throws after it started, so the call is in doubt.
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.locator('.outcome').waitFor();
    const doubted = await vi.waitFor(
      async () => {
        await site.desk.work({ runId });
        const [hold] = (await site.desk.holds({ runId })).items;
        return hold ?? expect.fail('There is no open hold yet.');
      },
      { timeout: 20_000, interval: 300 },
    );
    await page.goto(`${site.url}/inbox/holds/${doubted.id}`);
    await page.getByText('Technical details').click();
    await page.locator('.warnings').getByText(SHOWN).waitFor();
    await page.getByRole('heading', { name: 'This may already have happened' }).waitFor();
    await expectInert(page);
  });

  it('is plain text in a grant', async () => {
    const runId = await site.startRun('One', { toolName: 'anything', args: { [EVIL]: EVIL } });
    await site.decide(await site.openHold(runId), MALLORY, {
      kind: 'approve',
      grant: { match: { args: { [EVIL]: EVIL } }, scope: 'tenant' },
    });
    for (const id of ['b', 'c']) {
      const approver = { id, name: id, roles: [] };
      await site.decide(await site.openHold(runId), approver, { kind: 'approve' });
    }
    const page = await visitors.open(GRACE, { path: '/grants' });

    await page.locator('.card').getByText(SHOWN).first().waitFor();
    await expectInert(page);
  });

  it('does not freeze the page if it has ten million characters', async () => {
    const text = 'A very long story. '.repeat(550_000);
    await site.startRun('Tell me everything.', {
      toolName: 'anything',
      args: { text, short: 'x' },
    });
    const page = await visitors.open(GRACE);
    await page.evaluate(() => {
      const longest = { ms: 0 };
      Object.assign(globalThis, { longest });
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) longest.ms = Math.max(longest.ms, duration);
      }).observe({ type: 'longtask', buffered: true });
    });
    await openHold(page, /A very long story/);
    await page
      .getByText(/800 of 10,450,000 characters shown/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Show more text' }).first().click();
    await page.getByText(/8,000 of 10,450,000 characters shown/).waitFor();
    await page.getByRole('button', { name: 'Show as JSON' }).click();
    await page
      .getByText(/2,000 of [\d,]+ characters shown/)
      .first()
      .waitFor();
    await page.keyboard.press('e');
    await page.getByText(/is too large to edit here/).waitFor();
    const started = Date.now();
    await page.getByLabel('short').fill('y');
    await page.getByText('1 change.').waitFor();

    expect(Date.now() - started).toBeLessThan(2_000);
    const longest = await page.evaluate(
      () => (Reflect.get(globalThis, 'longest') as { ms: number }).ms,
    );
    expect(longest).toBeLessThan(1_500);
    visitors.expectNoErrors();
  });
});
