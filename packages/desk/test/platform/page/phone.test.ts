import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { filledSite } from './support/filled-site.ts';
import { GRACE, type InboxSite } from './support/inbox-site.ts';
import { overlapsOn } from './support/overlaps.ts';
import { openCall, Visitors } from './support/visitors.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

describe.each([320, 360, 390, 430])('newcomer 5: on a phone that is %i px wide', (width) => {
  let site: InboxSite;
  let visitors: Visitors;
  let page: Page;

  beforeAll(async () => {
    site = await filledSite();
    visitors = new Visitors(browser, site);
    page = await visitors.open(GRACE, { viewport: { width, height: 740 } });
  });
  afterAll(async () => {
    await visitors?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
  });

  const goTo = (path: string) => page.goto(`${site.url}/inbox${path}`);

  async function expectNoOverlap(): Promise<void> {
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await overlapsOn(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  }

  it.each([
    ['the list', '', '.hold-row'],
    ['all open calls', '/open', '.hold-row'],
    ['the runs', '/runs', '.run-row'],
    ['the grants', '/grants', '.card'],
  ])('no control of %s lies on another, with sign-out visible', async (_, path, ready) => {
    await goTo(path);
    await page.locator(ready).first().waitFor();
    await expectNoOverlap();
  });

  it('no control of a call, its form or its run lies on another', async () => {
    await goTo('');
    await openCall(page, /40 euros/);
    await expectNoOverlap();
    await page.getByRole('button', { name: 'Edit …' }).click();
    await expectNoOverlap();
    await page.getByRole('link', { name: 'Its messages and state' }).click();
    await page.locator('.transcript').waitFor();
    await expectNoOverlap();
    await page.getByRole('link', { name: 'Its audit' }).click();
    await page.locator('.audit-list li').first().waitFor();
    await expectNoOverlap();
  });

  it('a tap on Grants opens the grants', async () => {
    await goTo('');
    await page.locator('.hold-row').first().waitFor();
    const box = await page.getByRole('link', { name: 'Grants' }).boundingBox();
    await page.mouse.click(
      (box?.x ?? 0) + (box?.width ?? 0) / 2,
      (box?.y ?? 0) + (box?.height ?? 0) / 2,
    );
    await page.getByRole('heading', { level: 1, name: 'Grants' }).waitFor();
  });
});
