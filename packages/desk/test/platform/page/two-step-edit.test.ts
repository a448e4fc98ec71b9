import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { GRACE, type InboxSite, inboxSite } from './support/inbox-site.ts';
import { openCall, Visitors } from './support/visitors.ts';

const REFUND = { toolName: 'refund', args: { order: '17', euros: 40, reason: 'broken' } };

describe('desk B1: an edit on the page', () => {
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
    await site.ask('The lamp is broken.', REFUND);
    page = await visitors.open(GRACE);
    await openCall(page, /40 euros/);
  });
  afterEach(async () => {
    await visitors[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  /** Has the desk describe every edit with these members. */
  async function describeEdits(members: object): Promise<void> {
    await page.route('**/check', (route) => route.fulfill({ json: { problems: [], ...members } }));
  }

  async function review(): Promise<void> {
    await page.getByRole('button', { name: 'Edit …' }).click();
    await page.getByLabel('Amount in euros').fill('35');
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('heading', { name: 'Review your changes' }).waitFor();
  }

  it('shows validated arguments, preview and requirement before it is confirmed, and confirms what was shown', async () => {
    const described: Record<string, unknown>[] = [];
    const requirement = { count: 2, roles: ['refunds'], notRequester: true };
    await page.route('**/check', async (route) => {
      const description = await (await route.fetch()).json();
      described.push(description);
      await route.fulfill({ json: { ...description, requirement } });
    });
    const bodies: object[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/answer')) bodies.push(request.postDataJSON());
    });

    await page.getByRole('heading', { name: 'What will happen', exact: true }).waitFor();
    await review();
    // The preview of the call as it was is not what will happen.
    expect(await page.getByRole('heading', { name: 'What will happen', exact: true }).count()).toBe(
      0,
    );
    await page.getByText('35 euros go back for order 17').waitFor();
    await page
      .getByText('Approvals required: 2 in the role refunds, not by the requester.')
      .waitFor();
    expect(bodies).toEqual([]);
    expect(site.done).toEqual([]);
    await page.getByRole('button', { name: 'Approve with these changes' }).click();
    await page.locator('.outcome').waitFor();

    expect(described.at(-1)).toMatchObject({ args: { ...REFUND.args, euros: 35 } });
    expect(bodies).toEqual([
      {
        shown: described.at(-1)?.['shown'],
        digest: expect.any(String),
        answer: { kind: 'edit', args: { ...REFUND.args, euros: 35 } },
      },
    ]);
  });

  it('is a proposal without a vote if the desk described nothing but problems', async () => {
    const bodies: object[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/answer')) bodies.push(request.postDataJSON());
    });
    await describeEdits({});

    await review();
    const answered = page.waitForResponse('**/answer');
    await page.getByRole('button', { name: 'Approve with these changes' }).click();
    await answered;

    expect(Object.keys(bodies[0] ?? {})).not.toContain('shown');
    await site.work();
    expect(site.done).toEqual([]);
    const [hold] = (await site.desk.holds()).items;
    expect(hold).toMatchObject({
      state: 'open',
      proposal: { answer: { kind: 'edit' } },
      votes: [],
    });
  });

  it('shows problems that only the desk finds, and asks for nothing until they are solved', async () => {
    await page.route('**/check', (route) =>
      route.fulfill({
        json: { problems: [{ path: '/euros', message: 'More than the order was worth.' }] },
      }),
    );
    await page.getByRole('button', { name: 'Edit …' }).click();
    await page.getByLabel('Amount in euros').fill('4000');
    await page.getByRole('button', { name: 'Review changes' }).click();

    await page.getByText('More than the order was worth.').waitFor();
    expect(await page.getByRole('button', { name: 'Review changes' }).isDisabled()).toBe(true);
    await page.getByLabel('Amount in euros').fill('39');
    expect(await page.getByText('More than the order was worth.').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Review changes' }).isEnabled()).toBe(true);
  });

  it('returns to the form when the description is out of date', async () => {
    await describeEdits({ shown: 'shown-1' });
    await page.route('**/answer', (route) =>
      route.fulfill({
        status: 409,
        json: { error: { code: 'stale-edit', message: 'The description has changed.' } },
      }),
    );
    await review();
    await page.getByRole('button', { name: 'Approve with these changes' }).click();

    await page.getByText(/Review the changes again/).waitFor();
    expect(await page.getByLabel('Amount in euros').inputValue()).toBe('35');
  });
});
