import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import {
  GRACE,
  type InboxSite,
  inboxSite,
  DECISION_ROUTE,
  PREVIEW_ROUTE,
} from './support/inbox-site.ts';
import { openHold, Visitors } from './support/visitors.ts';

const REFUND = { toolName: 'refund', args: { order: '17', euros: 40, reason: 'broken' } };

const isDecision = (url: string) => url.endsWith('/decision');

describe('edit on the page', () => {
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
    await site.startRun('The lamp is broken.', REFUND);
    page = await visitors.open(GRACE);
    await openHold(page, /€40/);
  });
  afterEach(async () => {
    await visitors[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  /** Replaces the desk's preview of every edit. */
  async function previewEdits(members: object): Promise<void> {
    await page.route(PREVIEW_ROUTE, (route) =>
      route.fulfill({ json: { problems: [], ...members } }),
    );
  }

  async function review(): Promise<void> {
    await page.getByRole('button', { name: 'Edit …' }).click();
    await page.getByLabel('Amount in euros').fill('35');
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('heading', { name: 'Review your changes' }).waitFor();
  }

  it('shows validated arguments, preview and requirement, and confirms exactly these', async () => {
    const described: Record<string, unknown>[] = [];
    const requirement = { count: 2, roles: ['refunds'], notRequester: true };
    await page.route(PREVIEW_ROUTE, async (route) => {
      const description = await (await route.fetch()).json();
      described.push(description);
      await route.fulfill({ json: { ...description, requirement } });
    });
    const bodies: object[] = [];
    page.on('request', (request) => {
      if (isDecision(request.url())) bodies.push(request.postDataJSON());
    });

    await page.getByRole('heading', { name: 'What will happen', exact: true }).waitFor();
    await review();
    expect(await page.getByRole('heading', { name: 'What will happen', exact: true }).count()).toBe(
      0,
    );
    await page.getByText('Refund €35 for order 17').waitFor();
    await page.getByText('2 approvals by the role refunds, not by the requester.').waitFor();
    expect(bodies).toEqual([]);
    expect(site.executed).toEqual([]);
    await page.getByRole('button', { name: 'Approve with these changes' }).click();
    await page.locator('.outcome').waitFor();

    expect(described.at(-1)).toMatchObject({ args: { ...REFUND.args, euros: 35 } });
    expect(bodies).toEqual([
      {
        shown: described.at(-1)?.['shown'],
        digest: expect.any(String),
        decision: { kind: 'approve', args: { ...REFUND.args, euros: 35 } },
      },
    ]);
  });

  it('is a proposal without a vote if the desk sent no preview', async () => {
    const bodies: object[] = [];
    page.on('request', (request) => {
      if (isDecision(request.url())) bodies.push(request.postDataJSON());
    });
    await previewEdits({});

    await review();
    const response = page.waitForResponse(DECISION_ROUTE);
    await page.getByRole('button', { name: 'Approve with these changes' }).click();
    await response;

    expect(Object.keys(bodies[0] ?? {})).not.toContain('shown');
    await site.work();
    expect(site.executed).toEqual([]);
    const [hold] = (await site.desk.holds()).items;
    expect(hold).toMatchObject({
      state: 'open',
      proposal: { decision: { kind: 'approve' } },
      votes: [],
    });
  });

  it('shows problems that only the desk finds', async () => {
    await page.route(PREVIEW_ROUTE, (route) =>
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

  it('returns to the form when the preview is out of date', async () => {
    await previewEdits({ shown: 'shown-1' });
    await page.route(DECISION_ROUTE, (route) =>
      route.fulfill({
        status: 409,
        json: { code: 'stale-edit', detail: 'The preview has changed.' },
      }),
    );
    await review();
    await page.getByRole('button', { name: 'Approve with these changes' }).click();

    await page.getByText(/Review the changes again/).waitFor();
    expect(await page.getByLabel('Amount in euros').inputValue()).toBe('35');
  });
});
