import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { EDSGER, GRACE, type InboxSite, inboxSite } from './support/inbox-site.ts';
import { openCall, Visitors } from './support/visitors.ts';

const REFUND = { toolName: 'refund', args: { order: '17', euros: 40, reason: 'broken' } };

/** What browsers say about a desk that is not there. */
const NO_NETWORK = /Failed to load resource|net::ERR/;

describe('the page', () => {
  let browser: Browser;
  let site: InboxSite;
  let visitors: Visitors;
  let expiresAfter: number | undefined;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    expiresAfter = undefined;
    site = await inboxSite({ desk: { expiresAfter: () => expiresAfter } });
    visitors = new Visitors(browser, site);
  });
  afterEach(async () => {
    await visitors[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  it('shows what comes to wait by itself, and says so', async () => {
    const page = await visitors.open(GRACE);
    await page.getByText('Nothing waits for you.').waitFor();

    await site.ask('The lamp is broken.', REFUND);

    await page.getByRole('link', { name: /40 euros/ }).waitFor();
    await page.getByRole('status').getByText('A new call waits.').waitFor();
    visitors.expectNoComplaints();
  });

  it('counts down, and takes no answer when time is over', async () => {
    expiresAfter = 4_000;
    const runId = await site.ask('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await openCall(page, /40 euros/);
    await page
      .locator('.sheet-head')
      .getByText(/\d s left/)
      .waitFor();

    await page.getByText('Time is over.', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(
      true,
    );
    await site.desk.work({ runId });

    await page.getByText('Nobody has answered in time. The call was not run.').waitFor();
    expect(await page.getByRole('button', { name: /Approve/ }).count()).toBe(0);
    expect(site.done).toEqual([]);
    visitors.expectNoComplaints();
  });

  it('says in one tab what was answered in another', async () => {
    await site.ask('The lamp is broken.', REFUND);
    const first = await visitors.open(GRACE);
    await openCall(first, /40 euros/);
    const second = await visitors.openTab(first.context());
    await openCall(second, /40 euros/);

    await second.getByRole('button', { name: 'Approve', exact: true }).click();

    await first
      .locator('.outcome')
      .getByText(/has approved it/)
      .waitFor();
    expect(await first.getByRole('button', { name: /Approve/ }).count()).toBe(0);
    visitors.expectNoComplaints();
  });

  it('says who was faster and what they said, if it did not hear of it in time', async () => {
    await site.ask('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await openCall(page, /40 euros/);
    const [hold] = (await site.desk.holds()).items;
    const { id = '', digest = '' } = hold ?? {};
    // While Grace's answer is on its way, Edsger denies the call.
    await page.route('**/answer', async (route) => {
      const denial = { kind: 'deny', message: 'I was there first.' } as const;
      await site.desk.answer(id, denial, { by: { id: EDSGER.id, name: EDSGER.name }, digest });
      await route.continue();
    });
    const answer = page.waitForResponse('**/answer');

    await page.getByRole('button', { name: 'Approve', exact: true }).click();

    expect((await answer).status()).toBe(409);
    await page
      .getByText(/Edsger .*was faster and has denied it. Your answer was not taken/)
      .waitFor();
    await page.locator('.outcome').getByText('I was there first.').waitFor();
    await site.work();
    expect(site.done).toEqual([]);
    visitors.expectNoComplaints(/409/);
  });

  it('says that the connection is lost, sends nothing meanwhile, and catches up', async () => {
    await site.ask('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await openCall(page, /40 euros/);
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));

    site.cut(true);
    await page.getByText(/No connection to the desk/).waitFor();
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    expect(await approve.isDisabled()).toBe(true);
    await page.getByText('You can answer when it is back.').waitFor();
    await page.keyboard.press('a');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await site.ask('Another lamp is broken.', {
      ...REFUND,
      args: { ...REFUND.args, order: '18' },
    });
    site.cut(false);

    await page.getByText(/No connection to the desk/).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /order 18/ }).waitFor();
    expect(sent).toEqual([]);
    await approve.click();
    await page.locator('.outcome').waitFor();
    expect(sent).toHaveLength(1);
    visitors.expectNoComplaints(NO_NETWORK);
  });

  it('says that it does not know, if the desk is gone while an answer is sent, and sends it once', async () => {
    await site.ask('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await openCall(page, /40 euros/);
    let tries = 0;
    await page.route('**/answer', (route) => {
      tries += 1;
      return route.abort();
    });

    await page.getByRole('button', { name: 'Approve', exact: true }).click();

    await page.getByText(/It is not known whether your answer has arrived/).waitFor();
    await page.waitForTimeout(1_500);
    expect(tries).toBe(1);
    visitors.expectNoComplaints(NO_NETWORK);
  });

  it('says so when a session ends while it is open', async () => {
    await site.ask('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await page.getByRole('link', { name: /40 euros/ }).waitFor();
    await page.context().clearCookies();

    await page.getByRole('link', { name: /40 euros/ }).click();

    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    visitors.expectNoComplaints(/401/);
  });

  it('lets nobody in whom the desk does not know', async () => {
    const page = await visitors.open({ id: 'nobody', name: '', roles: [] });

    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    visitors.expectNoComplaints(/401/);
  });
});
