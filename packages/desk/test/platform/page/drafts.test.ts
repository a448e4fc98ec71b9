import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import {
  COOKIE,
  EDSGER,
  GRACE,
  type InboxSite,
  inboxSite,
  DECISION_ROUTE,
} from './support/inbox-site.ts';
import { openHold, Visitors } from './support/visitors.ts';

const TRANSFER = { toolName: 'transfer', args: { account: 'NL91', euros: 1250 } };

describe('draft of an approver', () => {
  let browser: Browser;
  let site: InboxSite;
  let visitors: Visitors;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    site = await inboxSite({ desk: { approvers: { transfer: { count: 2 } } } });
    visitors = new Visitors(browser, site);
    await site.startRun('Pay the printer.', TRANSFER);
  });
  afterEach(async () => {
    await visitors[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  async function editByEdsger(euros: number): Promise<void> {
    const args = { ...TRANSFER.args, euros };
    await site.decide(await site.openHold(), EDSGER, { kind: 'approve', args });
  }

  it('stays, with the focus, when another approver edits the call', async () => {
    const page = await visitors.open(GRACE);
    await openHold(page, /€1250/);
    await page.getByRole('button', { name: 'Edit …' }).click();
    const account = page.getByLabel('Account');
    await account.fill('DE89 3704');
    await account.press('End');

    await editByEdsger(900);
    await page.getByRole('button', { name: 'I have seen this' }).waitFor();
    await page.keyboard.type(' 0044');

    expect(await account.inputValue()).toBe('DE89 3704 0044');
    const review = page.getByRole('button', { name: 'Review changes' });
    expect(await review.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'I have seen this' }).click();
    await review.click();
    // The review compares the draft, which has the old amount, with the call as edited.
    const changes = await page.locator('.changes').last().innerText();
    expect(changes).toContain('DE89 3704 0044');
    expect(changes).toMatch(/900[^]*1250/);
    visitors.expectNoErrors();
  });

  it('returns from the review to the form when another approver edits the call', async () => {
    const page = await visitors.open(GRACE);
    await openHold(page, /€1250/);
    await page.getByRole('button', { name: 'Edit …' }).click();
    await page.getByLabel('Account').fill('DE89');
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('button', { name: 'Approve with these changes' }).waitFor();

    await editByEdsger(900);

    await page.getByRole('heading', { name: 'Edit the arguments' }).waitFor();
    expect(await page.getByLabel('Account').inputValue()).toBe('DE89');
    expect(await page.getByRole('button', { name: 'Approve with these changes' }).count()).toBe(0);
  });

  it.each([
    ['a reason', 'Deny …', /Reason/, 'Deny'],
    ['an edit', 'Edit …', 'Account', 'Review changes'],
  ])('stays when the session ends and the same person signs in again: %s', async (...names) => {
    const [, open, field, send] = names;
    const page = await visitors.open(GRACE);
    await openHold(page, /€1250/);
    await page.getByRole('button', { name: open }).click();
    await page.getByLabel(field).fill('Not this month.');

    await page.context().clearCookies();
    // A live update may have noticed the end of the session, and hidden the button.
    await page.getByText(send, { exact: true }).dispatchEvent('click');
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    expect(await page.getByText('1250').first().isVisible()).toBe(false);
    // Without a session, the prompt stays.
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();

    await page.context().addCookies([{ name: COOKIE, value: GRACE.id, url: site.url }]);
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.getByLabel(field).inputValue()).toBe('Not this month.');
    const again = page.getByRole('button', { name: send, exact: true });
    await again.click();
    await (send === 'Deny' ? page.locator('.outcome') : page.locator('.changes')).waitFor();
    visitors.expectNoErrors(/401/);
  });

  it.each([
    ['a reason', 'Deny …', /Reason/],
    ['a question', 'Request changes …', /Question or changes/],
    ['an edit', 'Edit …', 'Account'],
  ])('stays when the page is loaded again: %s', async (_, open, field) => {
    const page = await visitors.open(GRACE);
    await openHold(page, /€1250/);
    await page.getByRole('button', { name: open }).click();
    await page.getByLabel(field).fill('Not this month.');
    await page.getByRole('link', { name: 'Grants' }).click();
    await page.getByRole('heading', { level: 1, name: 'Grants' }).waitFor();
    await page.goBack();
    expect(await page.getByLabel(field).inputValue()).toBe('Not this month.');

    await page.reload();
    expect(await page.getByLabel(field).inputValue()).toBe('Not this month.');
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: open }).click();
    expect(await page.getByLabel(field).inputValue()).toBe('Not this month.');
  });

  it('is removed once the desk has recorded the decision, and by a sign-out', async () => {
    const page = await visitors.open(GRACE);
    const drafts = () => page.evaluate(() => Object.keys(sessionStorage).length);
    await openHold(page, /€1250/);
    await page.getByRole('button', { name: 'Deny …' }).click();
    await page.getByLabel(/Reason/).fill('Not this month.');
    expect(await drafts()).toBe(1);
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await page.locator('.outcome').waitFor();
    // A live update can show the outcome before the page has the response to the decision.
    await expect.poll(drafts).toBe(0);

    await site.startRun('Pay the printer again.', TRANSFER);
    await openHold(page, /€1250/);
    await page.getByRole('button', { name: 'Deny …' }).click();
    await page.getByLabel(/Reason/).fill('Not this year.');
    expect(await drafts()).toBe(1);
    await page.getByRole('button', { name: /\(menu\)/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(drafts).toBe(0);
  });

  it('is discarded when another person signs in', async () => {
    const page = await visitors.open(GRACE);
    await openHold(page, /€1250/);
    await page.getByRole('button', { name: 'Deny …' }).click();
    await page.getByLabel(/Reason/).fill('Secret thoughts of Grace.');
    await page.context().clearCookies();
    // A live update may have noticed the end of the session, and hidden the button.
    await page.getByText('Deny', { exact: true }).dispatchEvent('click');
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();

    await page.context().addCookies([{ name: COOKIE, value: EDSGER.id, url: site.url }]);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Deny …' }).waitFor();

    expect(await page.getByLabel(/Reason/).count()).toBe(0);
    expect(await page.content()).not.toContain('Secret thoughts');
  });

  it('stays when the desk does not respond', async () => {
    const page = await visitors.open(GRACE);
    await openHold(page, /€1250/);
    await page.getByRole('button', { name: 'Deny …' }).click();
    await page.getByLabel(/Reason/).fill('Not this month.');
    await page.route(DECISION_ROUTE, (route) => route.abort());
    await page.getByRole('button', { name: 'Deny', exact: true }).click();

    await page.getByText(/The desk did not respond/).waitFor();
    expect(await page.getByLabel(/Reason/).inputValue()).toBe('Not this month.');
  });
});
