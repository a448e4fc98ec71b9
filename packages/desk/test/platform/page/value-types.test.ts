import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { EDSGER, GRACE, type InboxSite, inboxSite } from './support/inbox-site.ts';
import { openHold, Visitors } from './support/visitors.ts';

/** Pairs of different values that must look different. */
const PAIRS = [
  ['yes', true],
  ['no', false],
  ['true', true],
  ['nothing', null],
  ['null', null],
  ['5', 5],
  ['-1.50', -1.5],
  ['empty text', ''],
  ['empty list', []],
  ['"5"', '5'],
  [{}, []],
  [['a'], { '1.': 'a' }],
] as const;

describe('values on the page', () => {
  let browser: Browser;
  let site: InboxSite;
  let visitors: Visitors;
  let page: Page;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    site = await inboxSite();
    visitors = new Visitors(browser, site);
    page = await visitors.open(GRACE);
  });
  afterEach(async () => {
    visitors.expectNoErrors();
    await visitors[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  /** The text of a value as an approver reads it, and as assistive technology gets it. */
  const textOf = (name: string) =>
    page.locator('.arguments .member').evaluateAll((members, wanted) => {
      const member = members.find((one) => one.querySelector('dt')?.textContent === wanted);
      const value = member?.querySelector('dd');
      const visible = value?.cloneNode(true) as HTMLElement;
      for (const hidden of visible.querySelectorAll('.visually-hidden')) hidden.remove();
      return [visible.textContent, value?.textContent];
    }, name);

  it('look different if their types differ', async () => {
    const entries = PAIRS.flatMap(([one, other], at) => [
      [`one${at}`, one],
      [`other${at}`, other],
    ]);
    await site.startRun('Go.', { toolName: 'anything', args: Object.fromEntries(entries) });
    await openHold(page, /one0/);

    for (const at of PAIRS.keys()) {
      const [one, other] = [await textOf(`one${at}`), await textOf(`other${at}`)];
      expect(one[0]).not.toBe(other[0]);
      expect(one[1]).not.toBe(other[1]);
    }
    // A screen reader may leave out quotes.
    expect((await textOf('one5'))[1]).toMatch(/^text /);
  });

  it('are distinguishable in the list and in the confirmation', async () => {
    await site.startRun('Text.', { toolName: 'anything', args: { amount: '5' } });
    await site.startRun('Number.', { toolName: 'anything', args: { amount: 5 } });
    await page.getByRole('link', { name: /amount: "5"/ }).waitFor();
    await page.getByRole('link', { name: /amount: 5/ }).waitFor();
    await openHold(page, /amount: "5"/);
    await page.keyboard.press('a');
    await page.getByRole('dialog').getByText('amount: "5"').waitFor();
  });

  it('show a change from a number to a text', async () => {
    await site.startRun('Number.', { toolName: 'anything', args: { amount: 5, preview: 'Five.' } });
    await openHold(page, /Five/);
    const args = { amount: '5', preview: 'Five.' };
    await site.decide(await site.openHold(), EDSGER, { kind: 'approve', args });
    await page.locator('.outcome').waitFor();
    await page.getByText('Before the edit').click();
    expect(await page.locator('.arguments.edited').first().innerText()).toMatch(
      /amount\s+text\s+"5"[^]*amount\s+5/,
    );
  });

  it('have no quotes in a preview', async () => {
    await site.startRun('Go.', { toolName: 'anything', args: { preview: 'Deletes the file.' } });
    await openHold(page, /Deletes the file/);
    expect(await page.locator('.preview-text').innerText()).toBe('Deletes the file.');
  });
});
