/**
 * Writes the pictures of the page that the documents show:
 *
 *   npm run inbox:screenshots
 *
 * Set `CHROMIUM_PATH` to use another browser than the one that comes with the packages.
 */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import packaged from '@sparticuz/chromium';
import { chromium, type Page } from 'playwright-core';
import { filledSite } from '../page/support/filled-site.ts';
import { GRACE } from '../page/support/inbox-site.ts';
import { DESKTOP, openCall, PHONE, Visitors } from '../page/support/visitors.ts';

const FOLDER = fileURLToPath(new URL('../../../../../docs/images/inbox/', import.meta.url));

/** What a picture is of: how to get there. */
type View = (page: Page) => Promise<void>;

const openRefund: View = (page) => openCall(page, /40 euros/);

const PHONE_VIEWS: Readonly<Record<string, View>> = {
  list: async (page) => page.getByRole('link', { name: /40 euros/ }).waitFor(),
  call: openRefund,
  changes: async (page) => {
    await openRefund(page);
    await page.getByRole('button', { name: 'Edit …' }).click();
    await page.getByLabel('Amount in euros').fill('35');
    await page.getByLabel('Text', { exact: true }).fill('Dear Ada,\n\n35 euros are on their way.');
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.locator('.answer-form').evaluate((form) => form.scrollIntoView({ block: 'start' }));
    await page.evaluate(() => scrollBy(0, -80));
  },
};

const DESKTOP_VIEWS: Readonly<Record<string, View>> = {
  votes: (page) => openCall(page, /1250 euros/),
  hidden: async (page) => {
    await page.getByRole('link', { name: 'All open' }).click();
    await openCall(page, /txt\.exe/);
  },
  audit: async (page) => {
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.locator('.run-row').last().click();
    await page.getByRole('link', { name: 'Its audit' }).click();
    await page.getByText('The chain holds.').waitFor();
    await page.locator('.audit-list li').first().waitFor();
  },
};

await mkdir(FOLDER, { recursive: true });
const executablePath = process.env['CHROMIUM_PATH'] ?? (await packaged.executablePath());
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    await using site = await filledSite();
    await using visitors = new Visitors(browser, site);
    for (const [device, viewport, views] of [
      ['phone', PHONE, PHONE_VIEWS],
      ['desktop', DESKTOP, DESKTOP_VIEWS],
    ] as const) {
      for (const [name, go] of Object.entries(views)) {
        const page = await visitors.open(GRACE, { colorScheme, viewport });
        await go(page);
        // What was asked for last is on the screen, and nothing has the focus.
        await page.waitForTimeout(400);
        await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
        await page.screenshot({ path: `${FOLDER}${device}-${name}-${colorScheme}.png` });
      }
    }
  }
} finally {
  await browser.close();
}
