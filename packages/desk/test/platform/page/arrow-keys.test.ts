import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { filledSite } from './support/filled-site.ts';
import { GRACE, type InboxSite } from './support/inbox-site.ts';
import { openHold, Visitors } from './support/visitors.ts';

/** Lower than every view. */
const LOW = { width: 800, height: 260 };

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

describe.each([
  ['on', true],
  ['off', false],
])('keyboard with single-key shortcuts %s', (_, isOn) => {
  let site: InboxSite;
  let visitors: Visitors;
  let page: Page;

  beforeAll(async () => {
    site = await filledSite();
    visitors = new Visitors(browser, site);
    page = await visitors.open(GRACE, { viewport: LOW });
    await page.evaluate((on) => localStorage.setItem('holdpoint-keys', on ? 'on' : 'off'), isOn);
  });
  afterAll(async () => {
    visitors?.expectNoErrors();
    await visitors?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
  });

  /** Opens a path without the drafts of other tests. */
  const goTo = async (path: string) => {
    await page.evaluate(() => sessionStorage.clear());
    await page.goto(`${site.url}/inbox${path}`);
  };
  const focusedId = () => page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));

  /** Presses a key and returns the scroll position. Scrolling is smooth, so poll it. */
  const scrolledBy = async (key: string) => {
    await page.keyboard.press(key);
    return page.evaluate(() => scrollY);
  };

  it('reaches every option of the result form with the arrow keys', async () => {
    await goTo('');
    await openHold(page, /another lamp/);
    await page.getByRole('button', { name: 'Record result …' }).click();
    const options = page.getByRole('radio');
    await options.first().focus();

    for (const option of [1, 2]) {
      await page.keyboard.press('ArrowDown');
      expect(await options.nth(option).isChecked()).toBe(true);
      expect(await options.nth(option).evaluate((one) => one === document.activeElement)).toBe(
        true,
      );
    }
    await page.keyboard.press('ArrowUp');
    expect(await options.nth(1).isChecked()).toBe(true);
  });

  it('has no shortcuts on a radio button, a checkbox or a button of a form', async () => {
    await goTo('');
    await openHold(page, /another lamp/);
    await page.getByRole('button', { name: 'Record result …' }).click();
    const text = page.getByRole('textbox').last();
    await text.fill('Three of them.');
    const address = page.url();

    for (const control of [
      page.getByRole('radio').first(),
      page.getByRole('checkbox'),
      page.getByRole('button', { name: 'Back' }),
    ]) {
      await control.focus();
      const before = await focusedId();
      for (const key of ['a', 'd', 'e', 'r', 'j', 'k', '/', '?']) await page.keyboard.press(key);
      expect(await focusedId()).toBe(before);
    }
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await text.inputValue()).toBe('Three of them.');
    expect(page.url()).toBe(address);
  });

  it('changes a selection with the arrow keys and with letters', async () => {
    await goTo('/runs');
    const state = page.getByLabel('State');
    await state.focus();
    await page.keyboard.press('ArrowDown');
    expect(await state.inputValue()).not.toBe('');
    await page.keyboard.press('ArrowUp');
    expect(await state.inputValue()).toBe('');
    await page.keyboard.press('f');
    expect(await state.inputValue()).toMatch(/^f/);
    expect(await state.evaluate((one) => one === document.activeElement)).toBe(true);
  });

  it('changes the grant with the arrow keys', async () => {
    await goTo('');
    await openHold(page, /€40/);
    const choice = page.getByLabel('Remember this approval');
    await choice.focus();
    const before = await choice.inputValue();
    await page.keyboard.press('ArrowDown');
    expect(await choice.inputValue()).not.toBe(before);
  });

  const PAGES: readonly (readonly [name: string, open: () => Promise<void>])[] = [
    [
      'a hold',
      async () => {
        await goTo('');
        await openHold(page, /€40/);
      },
    ],
    [
      'the list',
      async () => {
        await goTo('/open');
        await page.getByRole('link', { name: /€40/ }).waitFor();
      },
    ],
    [
      'the list of runs',
      async () => {
        await goTo('/runs');
        await page.locator('.row').first().waitFor();
      },
    ],
    [
      'a run',
      async () => {
        await goTo('/runs');
        await page.locator('.row').last().click();
        await page.locator('.transcript').waitFor();
      },
    ],
    [
      'an audit',
      async () => {
        await goTo('/runs');
        await page.locator('.row').last().click();
        await page.getByRole('link', { name: 'Open its audit' }).click();
        await page.locator('.audit-list li').first().waitFor();
      },
    ],
    [
      'the grants',
      async () => {
        await goTo('/grants');
        await page.getByRole('button', { name: /Revoke/ }).waitFor();
      },
    ],
  ];

  it.each(PAGES)('scrolls %s with the arrow keys', async (_name, open) => {
    await open();
    await page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
      scrollTo(0, 0);
    });

    await expect.poll(() => scrolledBy('ArrowDown')).toBeGreaterThan(0);
    await expect.poll(() => scrolledBy('ArrowUp')).toBe(0);
  });

  it('scrolls an audit from a button inside it', async () => {
    await goTo('/runs');
    await page.locator('.row').last().click();
    await page.getByRole('link', { name: 'Open its audit' }).click();
    const details = page.locator('.audit-list summary').first();
    await details.focus();
    const before = await page.evaluate(() => scrollY);

    await expect.poll(() => scrolledBy('ArrowDown')).toBeGreaterThan(before);
    expect(await details.evaluate((one) => one === document.activeElement)).toBe(true);
  });

  it('moves between the rows of a list if shortcuts are on, and scrolls it otherwise', async () => {
    await goTo('/open');
    const rows = page.locator('.rows a');
    await rows.first().focus();

    await page.keyboard.press('ArrowDown');
    const isSecond = await rows.nth(1).evaluate((one) => one === document.activeElement);
    expect(isSecond).toBe(isOn);
    if (!isOn) await expect.poll(() => scrolledBy('ArrowDown')).toBeGreaterThan(0);
  });

  it('clears the search with Escape and keeps the hold open', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await goTo('/open');
    await openHold(page, /€40/);
    const address = page.url();
    await page.getByRole('searchbox').fill('lamp');
    await page.keyboard.press('Escape');

    expect(page.url()).toBe(address);
    await page.setViewportSize(LOW);
  });
});
