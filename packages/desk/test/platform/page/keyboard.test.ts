import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { GRACE, type InboxSite, inboxSite } from './support/inbox-site.ts';
import { focusedText, tabTo } from './support/keys.ts';
import { Visitors } from './support/visitors.ts';

const refund = (order: string) => ({
  toolName: 'refund',
  args: { order, euros: 40, reason: 'broken' },
});

describe('keyboard', () => {
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
    for (const order of ['1', '2', '3'])
      await site.startRun(`Lamp ${order} is broken.`, refund(order));
    page = await visitors.open(GRACE);
    await page.getByRole('link', { name: /order 3/ }).waitFor();
  });
  afterEach(async () => {
    visitors.expectNoErrors();
    await visitors[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  const focused = () => focusedText(page);

  it('moves through the list, opens a hold and returns to its row', async () => {
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    expect(await focused()).toContain('order 2');

    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    expect(await focused()).toContain('Refund');

    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor();
    expect(await focused()).toContain('order 2');
  });

  it('approves after a confirmation', async () => {
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

    await page.locator('.outcome', { hasText: 'approved this call' }).waitFor();
    expect(await focused()).toContain('approved this call');
    await page.getByRole('link', { name: /Next: .*order 2/ }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await site.work();
    expect(site.executed).toEqual([refund('1')]);
  });

  it('denies with a reason, in which letters are not shortcuts', async () => {
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

  it('opens the edit form', async () => {
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await page.keyboard.press('e');

    await page.getByRole('heading', { name: 'Edit the arguments' }).waitFor();
    expect(await focused()).toBe('Edit the arguments');
  });

  it('edits, reviews and approves', async () => {
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: 'Edit the arguments' }).waitFor();
    await tabTo(page, 'Order');
    await tabTo(page, 'Amount in euros');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('35');
    await tabTo(page, 'Review changes');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Review your changes' }).waitFor();
    await tabTo(page, 'Approve with these changes');
    await page.keyboard.press('Enter');

    await page.locator('.outcome').waitFor();
    await site.work();
    expect(site.executed).toEqual([
      { toolName: 'refund', args: { order: '1', euros: 35, reason: 'broken' } },
    ]);
  });

  it('records a result', async () => {
    await site.startRun('Is there another?', {
      toolName: 'ask_warehouse',
      args: { question: 'Is there another lamp?' },
    });
    await page.getByRole('link', { name: /another lamp/ }).waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Record result …' }).waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('{"stock": 3}');
    await tabTo(page, 'The result is JSON');
    await page.keyboard.press('Space');
    await tabTo(page, 'Record result');
    await page.keyboard.press('Enter');

    await page.locator('.outcome', { hasText: 'recorded the result' }).waitFor();
  });

  it('filters, selects and denies several holds', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('order');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('refund');
    await tabTo(page, 'Select several', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await tabTo(page, /Select: Refund €40 for order 1/);
    await page.keyboard.press('Space');
    await tabTo(page, /Select: Refund €40 for order 2/);
    await page.keyboard.press('Space');
    await page.getByText('2 holds selected').waitFor();
    await tabTo(page, 'Deny …', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Deny 2 holds?' }).waitFor();
    await tabTo(page, /Reason/);
    await page.keyboard.type('Not this month.');
    await tabTo(page, 'Deny 2 holds');
    await page.keyboard.press('Enter');

    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused()).toBe('Select several');
    await page.getByRole('link', { name: /order 1/ }).waitFor({ state: 'detached' });
    expect((await site.desk.holds()).items).toHaveLength(1);
  });

  it('records what happened to a call in doubt', async () => {
    const holdId = await site.parkInDoubt();
    await page.goto(`${site.url}/inbox/holds/${holdId}`);
    await page.getByText('This may already have happened').waitFor();
    await page.keyboard.press('End');
    await tabTo(page, 'Record what happened …');
    await page.keyboard.press('Enter');
    await page.keyboard.type('The deposit arrived.');
    await tabTo(page, 'Record result');
    await page.keyboard.press('Enter');

    await page.locator('.outcome', { hasText: 'recorded the result' }).waitFor();
  });

  it('searches runs and cancels one', async () => {
    await tabTo(page, 'Runs', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: /Lamp 3/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('support');
    await page.keyboard.press('Enter');
    await tabTo(page, /Lamp 2/);
    await page.keyboard.press('Enter');
    await tabTo(page, 'Cancel the run …');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('Cancel the run');
    await page.keyboard.press('Enter');

    await page.locator('.state', { hasText: 'cancelled' }).waitFor();
    expect(await focused()).toContain('Lamp 2');
    expect((await site.desk.holds()).items).toHaveLength(2);
  });

  it('opens the menu and closes it', async () => {
    await tabTo(page, /\(menu\)/, 'Shift+Tab');
    await page.keyboard.press('Enter');
    const signOut = page.getByRole('button', { name: 'Sign out' });
    await signOut.waitFor();
    await page.keyboard.press('Escape');
    await signOut.waitFor({ state: 'hidden' });
    expect(await focused()).toContain('(menu)');
  });

  it('shows the shortcuts and turns them off', async () => {
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('approve, after a confirmation').waitFor();
    await tabTo(page, 'Enable single-key shortcuts');
    await page.keyboard.press('Space');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });

    await page.keyboard.press('?');
    await page.keyboard.press('j');
    expect(await help.count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('A');
    await tabTo(page, /\(menu\)/, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await tabTo(page, /^Keyboard shortcuts/);
    await page.keyboard.press('Enter');
    await tabTo(page, 'Enable single-key shortcuts');
    await page.keyboard.press('Space');
    expect(await help.getByLabel('Enable single-key shortcuts').isChecked()).toBe(true);
  });

  it('skips to the content with a visible focus', async () => {
    await page.reload();
    await page.getByRole('link', { name: /order 3/ }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');

    expect(await focused()).toBe('Select several');
    const outline = await page.evaluate(() =>
      document.activeElement === null ? '' : getComputedStyle(document.activeElement).outlineStyle,
    );
    expect(outline).toBe('solid');
  });
});
