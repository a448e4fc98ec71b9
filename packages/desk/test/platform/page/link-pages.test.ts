import { signIn } from '@holdpoint/desk/sign-in';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { GRACE, type InboxSite, inboxSite } from './support/inbox-site.ts';
import { layoutProblemsOn, violationsOn } from './support/page-problems.ts';
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
] as const)('server-rendered pages in a %s browser of %o', (colorScheme, viewport) => {
  let site: InboxSite;
  let visitors: Visitors;
  let page: Page;
  let entry: string;

  beforeAll(async () => {
    let provider: ReturnType<typeof signIn> | undefined;
    site = await inboxSite({
      app(store, url) {
        provider = signIn({ store, url });
        return { signIn: provider };
      },
    });
    const person = { id: GRACE.id, name: GRACE.name };
    entry = (await provider?.signInLink({ tenant: 'default', person }))?.url ?? '';
    visitors = new Visitors(browser, site);
    page = await visitors.open(GRACE, { colorScheme, viewport });
  });
  afterAll(async () => {
    await visitors?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
  });

  async function openLink(toolName: string, args: Readonly<Record<string, never>> | object) {
    const runId = await site.startRun(`Call ${toolName}.`, { toolName, args: { ...args } });
    const [hold] = (await site.desk.holds({ runId })).items;
    const person = { id: GRACE.id, name: GRACE.name };
    const link = await site.desk.decisionLink(hold?.id ?? '', {
      for: person,
      expiresAfter: AN_HOUR,
    });
    await page.goto(link.url);
  }

  const readStyle = () =>
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
    for (const width of [320, 390, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await layoutProblemsOn(page)).toEqual([]);
    }
    await page.setViewportSize(viewport);
  }

  it('show a decision link in the style of the inbox, with labelled arguments', async () => {
    await page.goto(`${site.url}/inbox`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const inbox = await readStyle();
    await openLink('refund', {
      order: '17',
      euros: 40,
      reason: 'broken',
      letter: { to: 'ada@example.com', text: 'Dear Ada,\n\nwe are sorry.' },
    });

    expect(await readStyle()).toEqual(inbox);
    await page.getByText('Refund €40 for order 17').waitFor();
    const text = await page.locator('main').innerText();
    expect(text).toMatch(/Order\s+"17"/);
    expect(text).toMatch(/Amount in euros\s+40/);
    expect(text).toMatch(/E-mail address\s+"ada@example\.com"/);
    expect(text).not.toMatch(/[{}]/);
    expect(text).toContain('Requested by Ada (ada), through the agent support.');
    expect(text).toMatch(/Decide before \d{4}-\d\d-\d\d \d\d:\d\d UTC\./);
    await expect.poll(() => page.locator('button.primary').allInnerTexts()).toEqual(['Approve']);
    await expectSound();
    visitors.expectNoErrors();
  });

  it('give Approve and Deny the same size, and distinguish values of different types', async () => {
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

  it('lead with the doubt and the idempotency key if the call is in doubt', async () => {
    const holdId = await site.parkInDoubt();
    const person = { id: GRACE.id, name: GRACE.name };
    const link = await site.desk.decisionLink(holdId, { for: person, expiresAfter: AN_HOUR });
    await page.goto(link.url);

    await page.getByText('This may already have happened').first().waitFor();
    await page.getByText(String(site.keys.at(-1))).waitFor();
    expect(await page.getByText('What will happen').count()).toBe(0);
    expect(await page.locator('button.primary').count()).toBe(0);
    await expectSound();
  });

  it('show a sign-in link in the style of the inbox', async () => {
    await page.goto(`${site.url}/inbox`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const inbox = await readStyle();
    await page.goto(entry);

    expect(await readStyle()).toEqual(inbox);
    await page.getByText('Grace Hopper (grace)').waitFor();
    await expectSound();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/inbox');
    await page.goto(entry);
    await page.getByRole('heading', { name: 'This sign-in link is no longer valid' }).waitFor();
    await expectSound();
  });

  it('show an unknown address in the style of the inbox', async () => {
    await page.goto(`${site.url}/inbox`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const inbox = await readStyle();
    await page.goto(`${site.url}/nowhere`);

    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await readStyle()).toEqual(inbox);
    await expectSound();
  });

  it.each(['/nowhere', '/nowhere/at/all', '/nowhere/', '/links/unknown'])(
    'lead from %s to the inbox',
    async (path) => {
      await page.goto(`${site.url}${path}`);
      await page.getByRole('link', { name: 'Open the inbox' }).click();
      await page.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor();
    },
  );

  it('lead from the root of the desk to the inbox', async () => {
    await page.goto(site.url);
    await page.waitForURL('**/inbox');
  });
});
