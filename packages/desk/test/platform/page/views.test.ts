import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { filledSite } from './support/filled-site.ts';
import { EDSGER, GRACE, type InboxSite } from './support/inbox-site.ts';
import { layoutProblemsOn, violationsOn } from './support/page-problems.ts';
import { VIEWS } from './support/views.ts';
import { ANONYMOUS, openHold, Visitors } from './support/visitors.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const WIDTHS = [320, 390, 768, 1280];
const SCHEMES = ['light', 'dark'] as const;

describe('page at every width in both colour schemes', () => {
  let site: InboxSite;
  let inDoubt: string;
  let visitors: Visitors;
  let page: Page;

  beforeAll(async () => {
    site = await filledSite();
    inDoubt = await site.parkInDoubt();
    visitors = new Visitors(browser, site);
    page = await visitors.open(GRACE);
  });
  afterAll(async () => {
    await visitors?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
  });

  /**
   * Expects a sound layout at both ends of the page, and accessible content. The view is opened once and resized,
   * because it has the same elements at every width.
   */
  async function expectSound(shown: Page = page): Promise<void> {
    for (const width of WIDTHS) {
      await shown.setViewportSize({ width, height: 800 });
      for (const colorScheme of SCHEMES) {
        await shown.emulateMedia({ colorScheme });
        await shown.evaluate(() => scrollTo(0, 0));
        const where = `at ${width} px, ${colorScheme}`;
        expect(await layoutProblemsOn(shown), where).toEqual([]);
        expect(await violationsOn(shown), where).toEqual([]);
      }
      await shown.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      expect(await layoutProblemsOn(shown), `at the end, at ${width} px`).toEqual([]);
    }
  }

  it.each(Object.entries(VIEWS))('has no overlap in the view %s', async (_, open) => {
    await open(page, { url: site.url, inDoubt });
    await expectSound();
  });

  it('has the actions below the arguments at the end of the page', async () => {
    await VIEWS['hold']?.(page, { url: site.url, inDoubt });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      const bar = await page.locator('.decision-bar').boundingBox();
      const conversation = await page.locator('.conversation').boundingBox();
      expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(conversation?.y ?? 0);
    }
  });

  it('shows the label of every action in one line', async () => {
    await VIEWS['hold']?.(page, { url: site.url, inDoubt });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      const labels = await page.locator('.decision-bar button').evaluateAll((buttons) =>
        buttons.map((button) => {
          const range = document.createRange();
          range.selectNodeContents(button);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          return `${button.textContent}: ${lines.size}`;
        }),
      );
      expect(labels).toEqual(['Deny …: 1', 'Request changes …: 1', 'Edit …: 1', 'Approve: 1']);
    }
  });

  it('has no overlap when another approver edits the call', async () => {
    await page.goto(`${site.url}/inbox`);
    await openHold(page, /€7/);
    const [hold] = (await site.desk.holds({ text: '€7' })).items;
    expect(hold).toBeDefined();
    if (hold === undefined) return;
    const args = { account: 'NL91', euros: 8 };
    await site.decide(hold, EDSGER, { kind: 'approve', args });
    await page.getByRole('button', { name: 'I have seen this' }).waitFor();
    await expectSound();
  });

  it('has no overlap without a connection and without a session', async () => {
    await page.goto(`${site.url}/inbox`);
    await page.getByRole('link', { name: /€40/ }).waitFor();
    site.cut(true);
    await page.getByText(/This page may be out of date/).waitFor();
    await expectSound();
    site.cut(false);
    await page.getByText(/This page may be out of date/).waitFor({ state: 'detached' });

    await page.context().clearCookies();
    await site.startRun('Another one.', { toolName: 'anything', args: {} });
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    await expectSound();

    const anonymous = await visitors.open(ANONYMOUS);
    await anonymous.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    await expectSound(anonymous);
  });
});
