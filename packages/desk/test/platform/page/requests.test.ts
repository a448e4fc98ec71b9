import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { GRACE, inboxSite } from './support/inbox-site.ts';
import { violationsOn } from './support/page-problems.ts';
import { readArguments, Visitors } from './support/visitors.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';
const by = { id: 'service:shop' };

describe('a request from outside on the page', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it('is shown with its preview and context, and approved for its program', async () => {
    const ship = { approvers: {}, schema: { type: 'object' } };
    await using site = await inboxSite({ desk: { requests: { tools: { ship } } } });
    await using visitors = new Visitors(browser, site);
    const { id, holdId } = await site.desk.request(
      'ship',
      { order: HOSTILE },
      { by, preview: `Ships ${HOSTILE}`, context: { customer: HOSTILE }, description: HOSTILE },
    );
    const page = await visitors.open(GRACE, { path: `/holds/${holdId}` });
    const sheet = page.locator('.sheet');
    await sheet.getByText(`Ships ${HOSTILE}`).waitFor();
    await page.getByRole('region', { name: 'About this call' }).getByText(HOSTILE).waitFor();
    expect(await page.getByRole('heading', { name: 'Conversation' }).count()).toBe(0);
    expect(await violationsOn(page)).toEqual([]);
    await readArguments(page);

    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.locator('.outcome').waitFor();

    expect(await site.desk.requests.get(id)).toMatchObject({ state: 'approved' });
    await page.getByRole('link', { name: 'Open the run' }).click();
    await page.getByText('The program that requested it can execute it.').waitFor();
    expect(await page.getByRole('heading', { name: 'Conversation' }).count()).toBe(0);
    expect(await site.desk.requests.claim(id, { by })).toMatchObject({ args: { order: HOSTILE } });
    visitors.expectNoErrors();
  });
});
