import { signIn } from '@holdpoint/desk/sign-in';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { GRACE, inboxSite } from './support/inbox-site.ts';
import { openHold, Visitors, ANONYMOUS } from './support/visitors.ts';

describe('session of the desk', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it('starts with a sign-in link, allows a decision and ends with a sign-out', async () => {
    let provider: ReturnType<typeof signIn> | undefined;
    await using site = await inboxSite({
      app(store, url) {
        provider = signIn({ store, url });
        return { signIn: provider };
      },
    });
    const { id, name } = GRACE;
    const link = await provider?.signInLink({
      tenant: 'default',
      person: { id, name },
      expiresAfter: 60_000,
    });
    await using visitors = new Visitors(browser, site);
    await site.startRun('The lamp is broken.', {
      toolName: 'refund',
      args: { order: '17', euros: 40, reason: 'broken' },
    });
    const page = await visitors.open(ANONYMOUS);
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();

    await page.goto(link?.url ?? '');
    await page.getByRole('button').click();
    await page.waitForURL('**/inbox');
    await page.getByText('Grace Hopper').first().waitFor();
    await openHold(page, /€40/);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.locator('.outcome').waitFor();
    await site.work();
    expect(site.executed).toHaveLength(1);

    await page.getByRole('button', { name: /\(menu\)/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    visitors.expectNoErrors(/401/);
  });
});
