import { setTimeout } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { contextOf } from '../../../src/desk/desk-reader.ts';
import { Gate } from '../../support/gate.ts';
import { EDSGER, GRACE, type InboxSite, inboxSite, DECISION_ROUTE } from './support/inbox-site.ts';
import { openHold, Visitors, ANONYMOUS } from './support/visitors.ts';

const REFUND = { toolName: 'refund', args: { order: '17', euros: 40, reason: 'broken' } };

/** Errors of a browser without a connection. */
const NO_NETWORK = /Failed to load resource|net::ERR/;

async function until(isSo: () => boolean): Promise<void> {
  for (let attempts = 0; !isSo(); attempts++) {
    if (attempts > 500) throw new Error('It did not happen.');
    await setTimeout(20);
  }
}

describe('live updates', () => {
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

  it('show a new hold and announce it', async () => {
    const page = await visitors.open(GRACE);
    await page.getByText('No hold is waiting for you.').waitFor();

    await site.startRun('The lamp is broken.', REFUND);

    await page.getByRole('link', { name: /€40/ }).waitFor();
    await page.getByRole('status').getByText('New hold.').waitFor();
    visitors.expectNoErrors();
  });

  it('show the text of a response while the model writes it', async () => {
    const pause = new Gate();
    await using paused = await inboxSite({ pause: pause.opened });
    await using watching = new Visitors(browser, paused);
    const runId = await paused.desk.start('support', 'What is broken?');
    const page = await watching.open(GRACE, { path: `/runs/${runId}` });
    const conversation = page.locator('.transcript');
    // The model streams once the page has its stream.
    await until(() => contextOf(paused.desk).streams.feedCount === 1);
    const working = paused.work();

    const entry = conversation.locator('.entry.agent');
    await entry.getByText('The lamp', { exact: true }).waitFor();
    await entry.getByText('In progress').waitFor();
    pause.open();
    await working;
    await page.getByText('is broken <b>for good</b>.').first().waitFor();
    await page.locator('.state.finished').waitFor();

    expect(await entry.count()).toBe(1);
    expect(await entry.getByText('In progress').count()).toBe(0);
    await until(() => contextOf(paused.desk).streams.feedCount === 0);
    watching.expectNoErrors();
  });

  it('count down to the expiry, after which no decision is possible', async () => {
    expiresAfter = 4_000;
    const runId = await site.startRun('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await openHold(page, /€40/);
    await page
      .locator('.sheet-head')
      .getByText(/Expires in \d s/)
      .waitFor();

    await page.getByText('This hold has expired.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(
      true,
    );
    await site.desk.work({ runId });

    await page
      .getByText('This hold expired without a decision. The call was not executed.')
      .waitFor();
    expect(await page.getByRole('button', { name: /Approve/ }).count()).toBe(0);
    expect(site.executed).toEqual([]);
    visitors.expectNoErrors();
  });

  it('show in one tab the decision of another', async () => {
    await site.startRun('The lamp is broken.', REFUND);
    const first = await visitors.open(GRACE);
    await openHold(first, /€40/);
    const second = await visitors.openTab(first.context());
    await openHold(second, /€40/);

    await second.getByRole('button', { name: 'Approve', exact: true }).click();

    await first
      .locator('.outcome')
      .getByText(/approved this call/)
      .waitFor();
    expect(await first.getByRole('button', { name: /Approve/ }).count()).toBe(0);
    visitors.expectNoErrors();
  });

  it('name the approver who decided first, and the decision', async () => {
    await site.startRun('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await openHold(page, /€40/);
    const hold = await site.openHold();
    // Edsger denies the call before the desk receives Grace's approval.
    await page.route(DECISION_ROUTE, async (route) => {
      await site.decide(hold, EDSGER, { kind: 'deny', reason: 'I was there first.' });
      await route.continue();
    });
    const response = page.waitForResponse(DECISION_ROUTE);

    await page.getByRole('button', { name: 'Approve', exact: true }).click();

    expect((await response).status()).toBe(409);
    await page
      .getByText(/Edsger .*denied this call first. Your decision was not recorded/)
      .waitFor();
    await page.locator('.outcome').getByText('I was there first.').waitFor();
    await site.work();
    expect(site.executed).toEqual([]);
    visitors.expectNoErrors(/409/);
  });

  it('state that the connection is lost, send nothing meanwhile, and catch up', async () => {
    await site.startRun('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await openHold(page, /€40/);
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));

    site.cut(true);
    await page.getByText(/This page may be out of date/).waitFor();
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    expect(await approve.isDisabled()).toBe(true);
    await page.getByText(/You can decide when it is restored/).waitFor();
    await page.keyboard.press('a');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await site.startRun('Another lamp is broken.', {
      ...REFUND,
      args: { ...REFUND.args, order: '18' },
    });
    site.cut(false);

    await page.getByText(/This page may be out of date/).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /order 18/ }).waitFor();
    expect(sent).toEqual([]);
    await approve.click();
    await page.locator('.outcome').waitFor();
    expect(sent).toHaveLength(1);
    visitors.expectNoErrors(NO_NETWORK);
  });

  it('state that the outcome of a decision is unknown if the desk does not respond, and send it once', async () => {
    await site.startRun('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await openHold(page, /€40/);
    let attempts = 0;
    await page.route(DECISION_ROUTE, (route) => {
      attempts += 1;
      return route.abort();
    });

    await page.getByRole('button', { name: 'Approve', exact: true }).click();

    await page.getByText(/It may have recorded your decision/).waitFor();
    await page.waitForTimeout(1_500);
    expect(attempts).toBe(1);
    visitors.expectNoErrors(NO_NETWORK);
  });

  it('ask for a sign-in when the session ends', async () => {
    await site.startRun('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await page.getByRole('link', { name: /€40/ }).waitFor();
    await page.context().clearCookies();

    await site.startRun('Another lamp is broken.', REFUND);

    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    visitors.expectNoErrors(/401/);
  });

  it('ask a visitor without a session to sign in', async () => {
    const page = await visitors.open(ANONYMOUS);

    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    visitors.expectNoErrors(/401/);
  });
});
