import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { GRACE, type InboxSite, inboxSite } from './support/inbox-site.ts';
import { DESKTOP, PHONE, readArguments, Visitors } from './support/visitors.ts';
import { layoutProblemsOn, violationsOn } from './support/page-problems.ts';

describe('hold in doubt', () => {
  let browser: Browser;
  let site: InboxSite;
  let visitors: Visitors;
  let page: Page;
  let holdId: string;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    site = await inboxSite();
    visitors = new Visitors(browser, site);
    holdId = await site.parkInDoubt();
    page = await visitors.open(GRACE, { path: `/holds/${holdId}` });
    await page.getByRole('region', { name: 'Your decision' }).waitFor();
    await readArguments(page);
  });
  afterEach(async () => {
    visitors.expectNoErrors();
    await visitors[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  it('leads with the doubt and does not state what will happen', async () => {
    const headings = await page
      .locator('.sheet')
      .getByRole('heading', { level: 2 })
      .allInnerTexts();

    expect(headings[0]).toBe('This may already have happened');
    expect(headings).toContain('What may have happened');
    expect(headings).not.toContain('What will happen');
    expect(await page.getByText('lease').isVisible()).toBe(false);
  });

  it('shows the idempotency key that the tool was given, and copies it', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const key = String(site.keys.at(-1));
    await page.getByText(key).waitFor();

    await page.getByRole('button', { name: 'Copy the idempotency key' }).click();

    await page.getByRole('button', { name: 'Copied the idempotency key' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  });

  it('has recording what happened as its primary action, which does not execute the call', async () => {
    const primary = page.locator('.decision .primary');
    expect(await primary.allInnerTexts()).toEqual(['Record what happened …']);

    await primary.click();
    await page.getByLabel(/Result\. The agent receives it/).fill('Paid at 12:04.');
    await page.getByRole('button', { name: 'Record result', exact: true }).click();
    await page.locator('.outcome').waitFor();
    await site.work();

    expect(site.keys).toHaveLength(1);
    const headings = await page
      .locator('.sheet')
      .getByRole('heading', { level: 2 })
      .allInnerTexts();
    expect(headings).toContain('What was requested');
    expect(headings).not.toContain('What will happen');
    expect(headings).not.toContain('This may already have happened');
  });

  it('asks for confirmation before it executes the call again', async () => {
    await page.getByRole('button', { name: 'Execute again …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Execute this call again?' });
    await dialog.getByText(/This may already have happened/).waitFor();
    await dialog.getByRole('button', { name: 'Execute again' }).click();
    await page.locator('.outcome').waitFor();
  });

  it.each([
    ['phone', PHONE],
    ['desktop', DESKTOP],
  ])('is accessible on a %s, and nothing overlaps', async (_, viewport) => {
    await page.setViewportSize(viewport);
    expect(await violationsOn(page)).toEqual([]);
    expect(await layoutProblemsOn(page)).toEqual([]);
  });
});
