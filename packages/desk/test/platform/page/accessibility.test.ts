import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { filledSite } from './support/filled-site.ts';
import { EDSGER, GRACE, type InboxSite } from './support/inbox-site.ts';
import { violationsOn } from './support/violations.ts';
import { DESKTOP, openCall, PHONE, Visitors } from './support/visitors.ts';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

describe.each([
  ['dark', PHONE],
  ['light', DESKTOP],
] as const)('in a %s page of %o', (colorScheme, viewport) => {
  let site: InboxSite;
  let visitors: Visitors;
  let page: Page;

  beforeAll(async () => {
    site = await filledSite();
    visitors = new Visitors(browser, site);
    page = await visitors.open(GRACE, { colorScheme, viewport });
  });
  afterAll(async () => {
    await visitors?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
  });

  const goTo = (path: string) => page.goto(`${site.url}/inbox${path}`);

  /** Nothing is wrong with what is on the screen, and all that can be pressed is large enough. */
  async function expectAccessible(): Promise<void> {
    expect(await violationsOn(page, TAGS)).toEqual([]);
    const small = await page
      .locator('button:visible, select:visible, input:visible, textarea:visible, nav a:visible')
      .evaluateAll((elements) =>
        elements
          .filter((element) => {
            const around = [element, element.closest('label.check, .choices label') ?? element];
            return around.every((one) => one.getBoundingClientRect().height < 44);
          })
          .map(({ outerHTML }) => outerHTML),
      );
    expect(small).toEqual([]);
    const isWider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(isWider).toBe(false);
  }

  it('the list is accessible', async () => {
    await goTo('');
    await page.getByRole('link', { name: /40 euros/ }).waitFor();
    await expectAccessible();
  });

  it('a call with votes, warnings and a conversation is accessible', async () => {
    await goTo('/open');
    await openCall(page, /1250 euros/);
    await page.getByText('1 of 2 so far.').waitFor();
    await expectAccessible();
    await page.getByRole('button', { name: 'Show as JSON' }).first().click();
    await expectAccessible();
  });

  it('a call with what cannot be seen is accessible', async () => {
    await goTo('/open');
    await openCall(page, /txt\.exe/);
    await expectAccessible();
  });

  it('denying, editing and looking at the changes is accessible', async () => {
    await goTo('');
    await openCall(page, /40 euros/);
    await page.getByRole('button', { name: 'Deny …' }).click();
    await expectAccessible();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Edit …' }).click();
    await page.getByLabel('Amount in euros').fill('-1');
    await page.getByText('This must be more than 0.').waitFor();
    await expectAccessible();
    await page.getByLabel('Amount in euros').fill('30');
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('heading', { name: 'Review your changes' }).waitFor();
    await expectAccessible();
  });

  it('answering an external call is accessible', async () => {
    await goTo('');
    await openCall(page, /another lamp/);
    await page.getByRole('button', { name: 'Record result …' }).click();
    await expectAccessible();
  });

  it('the questions before an approval and the keys are accessible', async () => {
    await goTo('');
    await openCall(page, /40 euros/);
    await page.keyboard.press('a');
    await page.getByRole('dialog').waitFor();
    await expectAccessible();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await expectAccessible();
    await page.keyboard.press('Escape');
  });

  it('a change under the eyes of somebody is accessible', async () => {
    await goTo('');
    await openCall(page, /7 euros/);
    const hold = (await site.desk.search('7 euros')).items[0];
    await site.desk.answer(
      hold?.id ?? '',
      { kind: 'edit', args: { account: 'NL91', euros: 8 } },
      { by: EDSGER, roles: EDSGER.roles, digest: hold?.digest ?? '' },
    );
    await page.getByRole('button', { name: 'I have seen this' }).waitFor();
    await expectAccessible();
  });

  it('a call that is settled is accessible', async () => {
    await goTo('/runs');
    const hold = (await site.desk.holds({ states: ['consumed'] })).items[0];
    await goTo(`/holds/${hold?.id}`);
    await page.locator('.outcome').waitFor();
    await expectAccessible();
  });

  it('runs, a run, its audit and grants are accessible', async () => {
    await goTo('/runs');
    await page.locator('.run-row').first().waitFor();
    await expectAccessible();
    await page.locator('.run-row').first().click();
    await page.getByRole('heading', { name: 'The conversation so far' }).waitFor();
    await expectAccessible();
    await page.getByRole('link', { name: 'Its audit' }).click();
    await page.getByText('The chain holds.').waitFor();
    await page.locator('.audit-list li').first().waitFor();
    await page.getByText('Details').first().click();
    await expectAccessible();
    await goTo('/grants');
    await page.getByRole('button', { name: /Revoke/ }).waitFor();
    await expectAccessible();
  });

  it('a lost connection, nothing at all, and nobody who is known are accessible', async () => {
    await goTo('');
    await page.getByRole('link', { name: /40 euros/ }).waitFor();
    await page.getByRole('searchbox').fill('nothing has this in it');
    await page.getByText('Nothing that waits has this in it.').waitFor();
    site.cut(true);
    await page.getByText(/No connection to the desk/).waitFor();
    await expectAccessible();
    site.cut(false);
    await page.getByText(/No connection to the desk/).waitFor({ state: 'detached' });
    const stranger = await visitors.open(
      { id: 'nobody', name: '', roles: [] },
      { colorScheme, viewport },
    );
    await stranger.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    expect(await violationsOn(stranger)).toEqual([]);
  });
});
