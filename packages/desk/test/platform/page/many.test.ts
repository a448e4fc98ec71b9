import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { sqliteStore, type Store } from '@holdpoint/desk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { tempFolder } from '../../../../core/test/support/temp-folder.ts';
import { EDSGER, GRACE, type InboxSite, inboxSite } from './support/inbox-site.ts';
import { Visitors } from './support/visitors.ts';

const FEW = 100;
const MANY = 10_000;

describe('inbox with many holds', () => {
  let browser: Browser;
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  const sites = new Map<number, InboxSite>();

  beforeAll(async () => {
    browser = await launchBrowser();
    folder = await tempFolder('many-holds');
    for (const count of [FEW, MANY]) sites.set(count, await siteWith(count));
  });
  afterAll(async () => {
    await browser?.close();
    for (const site of sites.values()) {
      await site[Symbol.asyncDispose]();
      await site.store.close();
    }
    await rm(folder.path, { recursive: true, force: true });
  });

  /** Serves a desk on a file with one parked run and copies of its hold. */
  async function siteWith(count: number): Promise<InboxSite> {
    const store = await sqliteStore({ path: `${folder.path}/${count}.db` });
    const site = await inboxSite({
      store,
      desk: { approvers: { refund: { roles: ['refunds'] } } },
    });
    const args = { order: 'the first', euros: 40, reason: 'broken' };
    const runId = await site.startRun('The first.', { toolName: 'refund', args });
    await copyHold(store, runId, count - 1);
    return site;
  }

  /** Measures a page, in milliseconds. */
  async function measure(site: InboxSite): Promise<Record<string, number>> {
    const visitors = new Visitors(browser, site);
    const page = await visitors.open(GRACE, { path: '/grants' });
    await page.getByRole('heading', { name: 'Grants' }).waitFor();
    const rows = page.locator('.row');
    const firstView = await timed(async () => {
      await page.goto(`${site.url}/inbox`);
      await rows.nth(49).waitFor();
    });
    const search = await timed(async () => {
      await page.getByRole('searchbox').fill('order 77');
      await page.waitForFunction(() =>
        document.querySelector('.row')?.textContent?.includes('order 77'),
      );
    });
    const open = await timed(async () => {
      await rows.first().click();
      await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    });
    const stranger = await visitors.open(EDSGER, { path: '/grants' });
    await stranger.getByRole('heading', { name: 'Grants' }).waitFor();
    const emptyList = await timed(async () => {
      await stranger.goto(`${site.url}/inbox`);
      await stranger.getByText('No hold is waiting for you.').waitFor();
    });
    visitors.expectNoErrors();
    await visitors[Symbol.asyncDispose]();
    return { firstView, search, open, emptyList };
  }

  it('loads, searches and opens quickly', async ({ annotate }) => {
    const [few, many] = [sites.get(FEW), sites.get(MANY)] as [InboxSite, InboxSite];
    // The first measurement warms up.
    await measure(few);
    const [small, large] = [await measure(few), await measure(many)];
    const line = (name: string) =>
      `${name}: ${small[name]} ms with ${FEW}, ${large[name]} ms with ${MANY}`;
    await annotate(Object.keys(small).map(line).join('; '));

    expect(large['firstView']).toBeLessThan(2_000);
    expect(large['search']).toBeLessThan(2_500);
    expect(large['open']).toBeLessThan(2_000);
    expect(large['emptyList']).toBeLessThan(10_000);
  });

  it('shows a page at a time, and states that there is more', async () => {
    const visitors = new Visitors(browser, sites.get(MANY) as InboxSite);
    const page: Page = await visitors.open(GRACE, { path: '/open' });
    await page.getByText('50 or more').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('100 or more').waitFor();

    expect(await page.locator('.row').count()).toBe(100);
    await visitors[Symbol.asyncDispose]();
  });

  it('loads the next page although an update arrives meanwhile', async () => {
    const site = sites.get(MANY) as InboxSite;
    const visitors = new Visitors(browser, site);
    const page: Page = await visitors.open(GRACE, { path: '/open' });
    await page.getByText('50 or more').waitFor();
    await page.route(/[?&]after=/, async (route) => {
      await sleep(1_500);
      await route.continue();
    });

    await page.getByRole('button', { name: 'Show more' }).click();
    const args = { order: 'another', euros: 41, reason: 'broken' };
    await site.startRun('Another.', { toolName: 'refund', args });

    await page.getByText('100 or more').waitFor();
    await visitors[Symbol.asyncDispose]();
  });
});

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return Math.round(performance.now() - start);
}

/** Writes copies of the hold of a run, each with its own run. */
async function copyHold(store: Store, runId: string, count: number): Promise<void> {
  await store.write(async (tx) => {
    const run = await tx.runs.get('default', runId);
    const [hold] = await tx.holds.ofRun('default', runId, ['open']);
    if (run === undefined || hold === undefined) throw new Error('There is nothing to copy.');
    for (let number = 1; number <= count; number++) {
      const id = number.toString(16).padStart(32, '0');
      const preview = `${number} euros go back for order ${number}`;
      const conversationId = `conversation ${number}`;
      await tx.runs.insert({ ...run, id, conversationId, idempotencyKey: undefined });
      await tx.holds.insert({
        ...hold,
        id,
        runId: id,
        conversationId,
        preview,
        searchText: preview,
        createdAt: hold.createdAt + number,
      });
    }
  });
}
