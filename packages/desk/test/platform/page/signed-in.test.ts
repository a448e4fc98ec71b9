import { signIn } from '@holdpoint/desk/sign-in';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { GRACE, inboxSite } from './support/inbox-site.ts';
import { openCall, Visitors } from './support/visitors.ts';

describe('with a session of the desk itself', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it('somebody comes in with a link, answers, and goes out', async () => {
    let entrance: ReturnType<typeof signIn> | undefined;
    await using site = await inboxSite({
      app(store, url) {
        entrance = signIn({ store, url });
        return { entrance };
      },
    });
    const { id, name } = GRACE;
    const link = await entrance?.entryLink({
      tenant: 'default',
      person: { id, name },
      expiresAfter: 60_000,
    });
    await using visitors = new Visitors(browser, site);
    await site.ask('The lamp is broken.', {
      toolName: 'refund',
      args: { order: '17', euros: 40, reason: 'broken' },
    });
    const page = await visitors.open({ id: 'nobody', name: '', roles: [] });
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();

    await page.goto(link ?? '');
    await page.getByRole('button').click();
    await page.waitForURL('**/inbox');
    await page.getByText('Grace Hopper').first().waitFor();
    await openCall(page, /40 euros/);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.locator('.outcome').waitFor();
    await site.work();
    expect(site.done).toHaveLength(1);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    visitors.expectNoComplaints(/401/);
  });
});
