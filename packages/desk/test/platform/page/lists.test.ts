import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { ADA, EDSGER, GRACE, type InboxSite, inboxSite } from './support/inbox-site.ts';
import { Visitors } from './support/visitors.ts';

const refund = (order: string) => ({
  toolName: 'refund',
  args: { order, euros: 40, reason: 'broken' },
});

describe('list of holds', () => {
  let browser: Browser;
  let site: InboxSite;
  let visitors: Visitors;
  let page: Page;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    site = await inboxSite({
      desk: { approvers: { transfer: { roles: ['treasury'], count: 2 } } },
    });
    visitors = new Visitors(browser, site);
    await site.startRun('Refund 1.', refund('1'));
    await site.startRun('Refund 2.', refund('2'));
    await site.startRun('Pay the printer.', {
      toolName: 'transfer',
      args: { account: 'NL91', euros: 1250 },
    });
    await site.startRun('Is there another?', {
      toolName: 'ask_warehouse',
      args: { question: 'Is there another lamp?' },
    });
    page = await visitors.open(GRACE);
    await page.getByRole('link', { name: /another lamp/ }).waitFor();
  });
  afterEach(async () => {
    await visitors[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  const rows = () => page.locator('.rows .row').count();

  it('has the number of waiting holds in the title of the tab', async () => {
    expect(await page.title()).toBe('(4) Waiting for you · Holdpoint');

    await site.startRun('Refund 3.', refund('3'));

    await expect.poll(() => page.title()).toBe('(5) Waiting for you · Holdpoint');
    await page.getByRole('link', { name: 'Runs' }).click();
    await expect.poll(() => page.title()).toBe('(5) Runs · Holdpoint');
    visitors.expectNoErrors();
  });

  it('has the title of the tool, the preview and the requester of every hold', async () => {
    const row = await page.getByRole('link', { name: /order 1/ }).innerText();

    expect(row).toMatch(/Refund\s+waiting < 1 min\s+Refund €40 for order 1\s+Requested by Ada/);
  });

  it('is filtered by tool, agent, requester and age', async () => {
    await page.getByText('Filters').click();
    const [tool, requester] = [
      page.getByLabel('Tool', { exact: true }),
      page.getByLabel('Requester id'),
    ];

    await tool.fill('transfer');
    await expect.poll(rows).toBe(1);
    await page.getByText('Filters (1)').waitFor();
    await tool.fill('');
    await expect.poll(rows).toBe(4);
    await requester.fill('grace');
    await page.getByText('No hold matches the search and the filters.').waitFor();
    await requester.fill(ADA.id);
    await expect.poll(rows).toBe(4);
    await page.getByLabel('Agent').selectOption('support');
    await page.getByText('Filters (2)').waitFor();
    await expect.poll(rows).toBe(4);
    await page.getByLabel('Older than').selectOption('1 hour');
    await page.getByText('No hold matches the search and the filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(rows).toBe(4);
    visitors.expectNoErrors();
  });

  it('approves selected holds after one confirmation that lists them', async () => {
    await page.getByRole('button', { name: 'Select several' }).click();
    await page.getByLabel(/Select: Refund €40 for order 1/).check();
    await page.getByLabel(/Select: Transfer €1250/).check();
    await page.getByLabel(/Select: question/).check();
    await page.getByRole('button', { name: 'Approve …' }).click();

    const dialog = page.getByRole('dialog', { name: 'Approve 2 holds?' });
    await dialog.waitFor();
    expect(await dialog.locator('li').allInnerTexts()).toEqual([
      expect.stringContaining('Refund €40 for order 1'),
      expect.stringContaining('Transfer €1250 to NL91'),
      expect.stringMatching(/another lamp[^]*Not included: it needs a result/),
    ]);
    expect(site.executed).toEqual([]);
    await dialog.getByRole('button', { name: 'Approve 2 holds' }).click();
    await dialog.waitFor({ state: 'detached' });

    await expect.poll(rows).toBe(2);
    await site.work();
    expect(site.executed).toEqual([refund('1')]);
    // The transfer needs a second approver.
    const transfer = (await site.desk.holds()).items.find((hold) => hold.toolName === 'transfer');
    expect(transfer?.votes).toHaveLength(1);
    visitors.expectNoErrors();
  });

  it('states which decisions were not recorded, and records the others', async () => {
    await page.getByRole('button', { name: 'Select several' }).click();
    await page.getByRole('button', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Deny …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/Reason/).fill('Not this month.');
    const second = (await site.desk.holds({ text: 'order 2' })).items[0];
    expect(second).toBeDefined();
    // Edsger approves one of the holds before the desk receives Grace's decisions.
    await page.route('**/v1/holds/decisions', async (route) => {
      if (second !== undefined) await site.decide(second, EDSGER, { kind: 'approve' });
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Deny 3 holds' }).click();

    await dialog.getByText(/Not recorded: /).waitFor();
    expect(await dialog.getByText('Recorded.', { exact: true }).count()).toBe(2);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect.poll(rows).toBe(1);
    await site.work();
    expect(site.executed).toEqual([refund('2')]);
  });

  it('confirms the calls as they were listed, and rejects one that changed meanwhile', async () => {
    await page.getByRole('button', { name: 'Select several' }).click();
    await page.getByLabel(/Select: Transfer €1250/).check();
    await page.getByRole('button', { name: 'Approve …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Transfer €1250 to NL91').waitFor();
    const transfer = (await site.desk.holds({ text: 'NL91' })).items[0];
    expect(transfer).toBeDefined();
    if (transfer === undefined) return;
    const args = { account: 'NL91', euros: 9_999 };
    await site.decide(transfer, EDSGER, { kind: 'approve', args });
    await page.locator('.row-summary').getByText('Transfer €9999 to NL91').waitFor();

    expect(await dialog.innerText()).toContain('Transfer €1250 to NL91');
    await dialog.getByRole('button', { name: 'Approve 1 hold' }).click();
    await dialog.getByText(/Not recorded: /).waitFor();
    await site.work();
    expect(site.executed).toEqual([]);
  });
});
