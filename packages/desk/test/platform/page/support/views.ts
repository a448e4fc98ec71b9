import type { Page } from 'playwright-core';
import { openHold, readArguments } from './visitors.ts';

/** The site that a view belongs to. */
export interface ViewContext {
  readonly url: string;
  /** The id of a hold in doubt. */
  readonly inDoubt: string;
}

/** Opens a view of a filled site and waits until it is complete. */
export type OpenView = (page: Page, context: ViewContext) => Promise<void>;

/** Opens a path without the drafts of other views. */
async function goTo(page: Page, { url }: ViewContext, path: string): Promise<void> {
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(`${url}/inbox${path}`);
}

const openRefund: OpenView = async (page, context) => {
  await goTo(page, context, '');
  await openHold(page, /Refund €40/);
  await page.locator('.transcript').waitFor();
};

/** Clicks an action of the open hold. */
async function act(page: Page, name: string): Promise<void> {
  await readArguments(page);
  await page.getByRole('button', { name }).click();
}

const openEdit: OpenView = async (page, context) => {
  await openRefund(page, context);
  await act(page, 'Edit …');
  await page.getByLabel('Amount in euros').fill('35');
};

/** Every view of the page. */
export const VIEWS: Readonly<Record<string, OpenView>> = {
  list: async (page, context) => {
    await goTo(page, context, '');
    await page.locator('.row').first().waitFor();
  },
  filters: async (page, context) => {
    await goTo(page, context, '/open');
    await page.locator('.row').first().waitFor();
    await page.getByText('Filters').click();
    await page.getByLabel('Tool', { exact: true }).fill('refund');
    await page.getByRole('button', { name: 'Clear filters' }).waitFor();
  },
  empty: async (page, context) => {
    await goTo(page, context, '');
    await page.getByRole('searchbox').fill('no such text');
    await page.getByText('No hold matches').waitFor();
  },
  selection: async (page, context) => {
    await goTo(page, context, '/open');
    await page.getByRole('button', { name: 'Select several' }).click();
    await page.getByRole('button', { name: 'Select all' }).click();
  },
  bulk: async (page, context) => {
    await VIEWS['selection']?.(page, context);
    await page.getByRole('button', { name: 'Deny …' }).first().click();
    await page.getByRole('dialog').waitFor();
  },
  hold: async (page, context) => {
    await openRefund(page, context);
    await page.evaluate(() => scrollTo(0, 0));
  },
  deny: async (page, context) => {
    await openRefund(page, context);
    await act(page, 'Deny …');
  },
  edit: openEdit,
  'edit-review': async (page, context) => {
    await openEdit(page, context);
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('heading', { name: 'Review your changes' }).waitFor();
  },
  approvals: async (page, context) => {
    await goTo(page, context, '');
    await openHold(page, /€1250/);
    await page.locator('.transcript').waitFor();
  },
  result: async (page, context) => {
    await goTo(page, context, '');
    await openHold(page, /another lamp/);
    await act(page, 'Record result …');
  },
  hidden: async (page, context) => {
    await goTo(page, context, '/open');
    await openHold(page, /txt\.exe/);
    await page.locator('.transcript').waitFor();
  },
  'in-doubt': async (page, context) => {
    await goTo(page, context, `/holds/${context.inDoubt}`);
    await page.locator('.transcript').waitFor();
  },
  settled: async (page, context) => {
    await goTo(page, context, '/grants');
    await page.getByRole('link', { name: 'Open the hold' }).click();
    await page.locator('.outcome').waitFor();
  },
  runs: async (page, context) => {
    await goTo(page, context, '/runs');
    await page.locator('.row').first().waitFor();
  },
  run: async (page, context) => {
    await VIEWS['runs']?.(page, context);
    await page.locator('.row').last().click();
    await page.locator('.transcript').waitFor();
  },
  audit: async (page, context) => {
    await VIEWS['run']?.(page, context);
    await page.getByRole('link', { name: 'Open its audit' }).click();
    await page.getByText('The hash chain is intact.').waitFor();
    await page.locator('.audit-list li').first().waitFor();
  },
  grants: async (page, context) => {
    await goTo(page, context, '/grants');
    await page.getByRole('button', { name: /Revoke/ }).waitFor();
  },
  delegations: async (page, context) => {
    await goTo(page, context, '/delegations');
    await page.getByRole('button', { name: 'Delegate' }).waitFor();
  },
  menu: async (page, context) => {
    await VIEWS['runs']?.(page, context);
    await page.getByRole('button', { name: /\(menu\)/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  },
  shortcuts: async (page, context) => {
    await VIEWS['runs']?.(page, context);
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
  },
  'not-found': async (page, context) => {
    await goTo(page, context, '/nowhere');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  },
};
