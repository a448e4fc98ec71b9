/**
 * Writes the screenshots of the inbox that the documents show:
 *
 *   npm run inbox:screenshots
 *
 * Set `CHROMIUM_PATH` to use another browser than the packaged one. Pass a folder to write to it, with
 * every view at every width.
 */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import packaged from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import { filledSite } from '../page/support/filled-site.ts';
import { GRACE } from '../page/support/inbox-site.ts';
import { VIEWS } from '../page/support/views.ts';
import { DESKTOP, PHONE, Visitors } from '../page/support/visitors.ts';

const DOCS = fileURLToPath(new URL('../../../../../docs/images/inbox/', import.meta.url));

/** The views that the documents show. */
const SHOWN = {
  phone: ['list', 'hold', 'edit-review'],
  desktop: ['approvals', 'hidden', 'audit'],
} as const;

const folder = process.argv[2];
const target = folder ?? DOCS;
await mkdir(target, { recursive: true });
const executablePath = process.env['CHROMIUM_PATH'] ?? (await packaged.executablePath());
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    await using site = await filledSite();
    const inDoubt = await site.parkInDoubt();
    await using visitors = new Visitors(browser, site);
    for (const [device, viewport] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
      for (const [name, open] of Object.entries(VIEWS)) {
        // The keys of the table are the devices.
        const shown: readonly string[] = SHOWN[device as keyof typeof SHOWN];
        if (folder === undefined && !shown.includes(name)) continue;
        const page = await visitors.open(GRACE, { colorScheme, viewport });
        await open(page, { url: site.url, inDoubt });
        await page.waitForTimeout(400);
        await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
        await page.screenshot({ path: `${target}/${device}-${name}-${colorScheme}.png` });
        await page.context().close();
      }
    }
  }
} finally {
  await browser.close();
}
