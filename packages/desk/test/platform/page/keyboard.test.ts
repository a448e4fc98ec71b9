import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { GRACE, type InboxSite, inboxSite } from './support/inbox-site.ts';
import { Visitors } from './support/visitors.ts';

const refund = (order: string) => ({
  toolName: 'refund',
  args: { order, euros: 40, reason: 'broken' },
});

describe('with a keyboard alone', () => {
  let browser: Browser;
  let site: InboxSite;
  let visitors: Visitors;
  let page: Page;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    site = await inboxSite();
    visitors = new Visitors(browser, site);
    for (const order of ['1', '2', '3']) await site.ask(`Lamp ${order} is broken.`, refund(order));
    page = await visitors.open(GRACE);
    await page.getByRole('link', { name: /order 3/ }).waitFor();
  });
  afterEach(async () => {
    visitors.expectNoComplaints();
    await visitors[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');

  it('one moves through the list, opens a call, and comes back to it', async () => {
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    expect(await focused()).toContain('order 2');

    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    // The heading of what was opened has the focus.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    expect(await focused()).toContain('refund');

    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor();
    expect(await focused()).toContain('order 2');
  });

  it('one approves, after one more question', async () => {
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();

    await page.keyboard.press('a');
    const question = page.getByRole('dialog', { name: 'Approve this call?' });
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await page.keyboard.press('a');
    await question.waitFor();
    await page.keyboard.press('Enter');

    // Who it was comes in a moment after that it was answered.
    await page.locator('.outcome', { hasText: 'has approved it' }).waitFor();
    // What came of it has the focus, and the next one is not far.
    expect(await focused()).toContain('has approved it');
    await page.getByRole('link', { name: /Next: .*order 2/ }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await site.work();
    expect(site.done).toEqual([refund('1')]);
  });

  it('one denies with a reason, in which letters are letters', async () => {
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();

    await page.keyboard.press('d');
    await page.keyboard.type('a bad idea, ask dad?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');

    await page.getByText('a bad idea, ask dad?').first().waitFor();
    await page.locator('.outcome').waitFor();
  });

  it('one opens the form of an edit', async () => {
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await page.keyboard.press('e');

    await page.getByRole('heading', { name: 'Edit the arguments' }).waitFor();
    expect(await focused()).toBe('Edit the arguments');
  });

  it('one sees the keys, and can turn single letters off', async () => {
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.getByText('approve, after a confirmation').waitFor();
    await help.getByLabel('Enable single-key shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });

    await page.keyboard.press('?');
    await page.keyboard.press('j');
    expect(await help.count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('A');
    await page.getByRole('button', { name: 'Keys' }).click();
    await help.getByLabel('Enable single-key shortcuts').check();
  });

  it('one skips to the content, and sees where one is', async () => {
    await page.reload();
    await page.getByRole('link', { name: /order 3/ }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');

    expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search');
    const outline = await page.evaluate(() =>
      document.activeElement === null ? '' : getComputedStyle(document.activeElement).outlineStyle,
    );
    expect(outline).toBe('solid');
  });
});
