import { signIn } from '@holdpoint/desk/sign-in';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { GRACE, type InboxSite, inboxSite } from './support/inbox-site.ts';
import { overlapsOn } from './support/overlaps.ts';
import { violationsOn } from './support/violations.ts';
import { DESKTOP, PHONE, Visitors } from './support/visitors.ts';

const AN_HOUR = 3_600_000;

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

describe.each([
  ['light', DESKTOP],
  ['dark', PHONE],
  ['light', { width: 320, height: 640 }],
] as const)('newcomer 9: in a %s browser of %o', (colorScheme, viewport) => {
  let site: InboxSite;
  let visitors: Visitors;
  let page: Page;
  let entry: string;

  beforeAll(async () => {
    let entrance: ReturnType<typeof signIn> | undefined;
    site = await inboxSite({
      app(store, url) {
        entrance = signIn({ store, url });
        return { entrance };
      },
    });
    const person = { id: GRACE.id, name: GRACE.name };
    entry = (await entrance?.entryLink({ tenant: 'default', person })) ?? '';
    visitors = new Visitors(browser, site);
    page = await visitors.open(GRACE, { colorScheme, viewport });
  });
  afterAll(async () => {
    await visitors?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
  });

  async function openLink(toolName: string, args: Readonly<Record<string, never>> | object) {
    // The arguments are those of a test.
    const runId = await site.ask(`Call ${toolName}.`, { toolName, args: { ...args } });
    const [hold] = (await site.desk.holds({ runId })).items;
    const person = { id: GRACE.id, name: GRACE.name };
    const link = await site.desk.answerLink(hold?.id ?? '', { for: person, expiresAfter: AN_HOUR });
    await page.goto(link.url);
  }

  const look = () =>
    page.evaluate(() => {
      const [html, heading] = [document.documentElement, document.querySelector('h1')];
      const { backgroundColor, color, fontFamily } = getComputedStyle(html);
      return {
        backgroundColor,
        color,
        fontFamily,
        heading: heading && getComputedStyle(heading).fontFamily,
      };
    });

  async function expectSound(): Promise<void> {
    expect(await violationsOn(page)).toEqual([]);
    expect(await overlapsOn(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(
      false,
    );
  }

  it('the page of an answer link looks like the inbox and names its arguments', async () => {
    await page.goto(`${site.url}/inbox`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const inbox = await look();
    await openLink('refund', {
      order: '17',
      euros: 40,
      reason: 'broken',
      letter: { to: 'ada@example.com', text: 'Dear Ada,\n\nwe are sorry.' },
    });

    expect(await look()).toEqual(inbox);
    await page.getByText('40 euros go back for order 17').waitFor();
    const text = await page.locator('main').innerText();
    expect(text).toMatch(/Order\s+"17"/);
    expect(text).toMatch(/Amount in euros\s+40/);
    expect(text).toMatch(/E-mail address\s+"ada@example\.com"/);
    expect(text).not.toMatch(/[{}]/);
    await expectSound();
    visitors.expectNoComplaints();
  });

  it('Approve and Deny have the same size, and a value of another type looks different', async () => {
    await openLink('anything', {
      text: '5',
      number: 5,
      none: null,
      nothing: 'nothing',
      flag: true,
    });

    const [approve, deny] = await Promise.all(
      ['Approve', 'Deny'].map((name) =>
        page.getByRole('button', { name, exact: true }).boundingBox(),
      ),
    );
    expect([approve?.width, approve?.height]).toEqual([deny?.width, deny?.height]);
    const text = await page.locator('main').innerText();
    expect(text).toMatch(/text\s+"5"/);
    expect(text).toMatch(/number\s+5/);
    expect(text).toMatch(/none\s+nothing\s/);
    expect(text).toMatch(/nothing\s+"nothing"/);
    await expectSound();
  });

  it('the page of a link to a call in doubt leads with the doubt and shows the idempotency key', async () => {
    const holdId = await site.doubt();
    const person = { id: GRACE.id, name: GRACE.name };
    const link = await site.desk.answerLink(holdId, { for: person, expiresAfter: AN_HOUR });
    await page.goto(link.url);

    await page.getByText('This may already have happened').first().waitFor();
    await page.getByText(String(site.keys.at(-1))).waitFor();
    expect(await page.getByText('What will happen').count()).toBe(0);
    await expectSound();
  });

  it('the page of an entry link looks like the inbox and signs in', async () => {
    await page.goto(`${site.url}/inbox`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const inbox = await look();
    await page.goto(entry);

    expect(await look()).toEqual(inbox);
    await page.getByText('Grace Hopper (grace)').waitFor();
    await expectSound();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/inbox');
    await page.goto(entry);
    await page.getByRole('heading', { name: 'This sign-in link is no longer valid' }).waitFor();
    await expectSound();
  });
});
