import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { EDSGER, GRACE, type InboxSite, inboxSite } from './support/inbox-site.ts';
import { tabTo } from './support/keys.ts';
import { openHold, Visitors } from './support/visitors.ts';

const REFUND = { toolName: 'refund', args: { order: 'A-1', euros: 40, reason: 'broken' } };
const QUESTION = 'Which photo shows it? <img src=x onerror=alert(1)>';
const RESPONSE = 'The second one. <b>Half</b> is enough.';

describe('an approver who requests changes', () => {
  let browser: Browser;
  let site: InboxSite;
  let visitors: Visitors;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    site = await inboxSite();
    visitors = new Visitors(browser, site);
    await site.startRun('The lamp is broken.', REFUND);
  });
  afterEach(async () => {
    await visitors[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  it('does so with the keyboard, and sees the response and the new call', async () => {
    const half = { ...REFUND, args: { ...REFUND.args, euros: 20 } };
    site.respondTo(QUESTION, { text: RESPONSE, calls: [half] });
    const page = await visitors.open(GRACE);
    await openHold(page, /€40/);

    await page.keyboard.press('c');
    const field = page.getByLabel(/Question or changes/);
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    const send = page.getByRole('button', { name: 'Request changes', exact: true });
    expect(await send.isDisabled()).toBe(true);
    await page.keyboard.type(QUESTION);
    await tabTo(page, 'Request changes');
    await page.keyboard.press('Enter');

    await page
      .locator('.outcome')
      .getByText(/requested changes/)
      .waitFor();
    await page.locator('.outcome').getByText(QUESTION).waitFor();
    await page.getByText('The agent has not responded yet.').waitFor();
    await site.work();
    expect(site.executed).toEqual([]);
    const section = page.getByRole('region', { name: 'Requested changes' });
    await section.getByText(RESPONSE).waitFor();
    await section.getByRole('link', { name: 'Open the new call' }).click();
    await page.getByText(/€20/).first().waitFor();
    await section.getByText(QUESTION).waitFor();
    await section.getByText(RESPONSE).waitFor();
    expect(await section.getByRole('link').count()).toBe(0);

    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page
      .getByText(/approved this call/)
      .first()
      .waitFor();
    await site.work();
    expect(site.executed).toEqual([half]);
    visitors.expectNoErrors();
  });

  it('is shown the response of an agent that makes no other call', async () => {
    site.respondTo(QUESTION, { text: RESPONSE, calls: [] });
    const page = await visitors.open(EDSGER);
    await openHold(page, /€40/);

    await page.getByRole('button', { name: 'Request changes …' }).click();
    await page.getByLabel(/Question or changes/).fill(QUESTION);
    await page.getByRole('button', { name: 'Request changes', exact: true }).click();
    await page.locator('.outcome').waitFor();
    await site.work();

    await page.getByRole('region', { name: 'Requested changes' }).getByText(RESPONSE).waitFor();
    expect(await page.getByRole('link', { name: 'Open the new call' }).count()).toBe(0);
    expect(site.executed).toEqual([]);
    visitors.expectNoErrors();
  });
});
