import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { EDSGER, GRACE, type InboxSite, inboxSite } from './support/inbox-site.ts';
import { focusedText } from './support/keys.ts';
import { openHold, Visitors } from './support/visitors.ts';

const REFUND = { toolName: 'refund', args: { order: '17', euros: 40, reason: 'broken' } };

describe('people on the page', () => {
  let browser: Browser;
  let site: InboxSite;
  let visitors: Visitors;

  beforeAll(async () => {
    browser = await launchBrowser();
    site = await inboxSite({
      desk: {
        approvers: {
          roles: ['refunds'],
          people: ['zoe'],
          escalate: [{ afterMs: 3_600_000, also: { roles: ['director'] } }],
        },
        denyReasons: ['Not covered by the warranty.', 'Ask the customer for a receipt.'],
      },
    });
    visitors = new Visitors(browser, site);
  });
  afterAll(async () => {
    await visitors?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('delegate their approvals, and the delegate decides on their behalf', async () => {
    const runId = await site.startRun('The lamp is broken.', REFUND);
    const grace = await visitors.open(GRACE);
    await grace.getByRole('button', { name: /\(menu\)/ }).click();
    await grace.getByRole('button', { name: 'Delegations' }).click();
    await grace.getByLabel('Id of the delegate').fill('edsger');
    await grace
      .getByLabel('Until')
      .fill(new Date(Date.now() + 86_400_000).toISOString().slice(0, 16));
    await grace.getByRole('button', { name: 'Delegate', exact: true }).click();
    await grace.getByRole('heading', { name: /decides on behalf of/ }).waitFor();

    const edsger = await visitors.open(EDSGER);
    await openHold(edsger, /€40/);
    await edsger.getByText(/by the role refunds or by zoe/).waitFor();
    await edsger.getByText(/also director/).waitFor();
    const chosen = edsger.getByLabel('Decide', { exact: true });
    expect(await chosen.locator('option').allTextContents()).toEqual(['on behalf of Grace Hopper']);
    await edsger.getByRole('button', { name: 'Approve', exact: true }).click();
    await edsger
      .getByText(/, on behalf of/)
      .first()
      .waitFor();
    await site.work();
    expect((await site.desk.run(runId)).state).toBe('finished');

    await grace.getByRole('button', { name: /Revoke/ }).click();
    await grace
      .getByText(/Revoked/)
      .first()
      .waitFor();
    // The button is gone, so its focus moves to the heading of the card.
    expect(await focusedText(grace)).toContain('decides on behalf of');
    visitors.expectNoErrors();
  });

  it('comment on a hold as plain text, and deny it with a prepared reason', async () => {
    await site.startRun('Another lamp is broken.', REFUND);
    const hold = await site.openHold();
    const hostile = '<img src=x onerror="alert(1)"> \u202Etxt';
    await site.desk.comment(hold.id, hostile, { by: { id: 'eve', name: '<b>Eve</b>' } });
    const page = await visitors.open(GRACE, { path: `/holds/${hold.id}` });

    await page.getByText('<img src=x onerror="alert(1)"> ⟨U+202E⟩txt').waitFor();
    await page.getByText('<b>Eve</b>').first().waitFor();
    await page.getByLabel(/Add a comment/).fill('I asked the customer.');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.locator('.comments').getByText('I asked the customer.', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Deny …' }).click();
    await page.getByRole('button', { name: 'Not covered by the warranty.' }).click();
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await page.locator('.outcome').waitFor();
    const { decisions } = await site.desk.hold(hold.id);
    const decision = { kind: 'deny', reason: 'Not covered by the warranty.' };
    expect(decisions).toMatchObject([{ decision }]);
    visitors.expectNoErrors();
  });
});
