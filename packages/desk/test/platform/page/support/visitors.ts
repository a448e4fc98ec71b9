import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { COOKIE, type InboxSite, type Somebody } from './inbox-site.ts';

/** How somebody looks at the page. */
export interface Looking {
  readonly path?: string | undefined;
  readonly colorScheme?: 'light' | 'dark' | undefined;
  readonly viewport?: { readonly width: number; readonly height: number } | undefined;
}

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 800 };

/** People who look at the page, and what went wrong for them. */
export class Visitors implements AsyncDisposable {
  /** What browsers have complained about: scripts, policies, requests. */
  readonly complaints: string[] = [];
  readonly #browser: Browser;
  readonly #site: InboxSite;
  readonly #contexts: BrowserContext[] = [];

  constructor(browser: Browser, site: InboxSite) {
    this.#browser = browser;
    this.#site = site;
  }

  /** Somebody opens the page in a browser of their own. */
  async open(
    who: Somebody,
    { path = '', colorScheme, viewport = DESKTOP }: Looking = {},
  ): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport,
      ...(colorScheme && { colorScheme }),
    });
    this.#contexts.push(context);
    context.setDefaultTimeout(20_000);
    await context.addCookies([{ name: COOKIE, value: who.id, url: this.#site.url }]);
    return this.openTab(context, path);
  }

  /** Another tab of the same browser. */
  async openTab(context: BrowserContext, path = ''): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('dialog', (dialog) => this.complaints.push(`A dialog was opened: ${dialog.message()}`));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    await page.goto(`${this.#site.url}/inbox${path}`);
    return page;
  }

  /** Nothing went wrong, but for what is expected. */
  expectNoComplaints(except?: RegExp): void {
    expect(this.complaints.filter((one) => except === undefined || !except.test(one))).toEqual([]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const context of this.#contexts) await context.close();
  }
}

/** Opens a call from the list by what would happen. */
export async function openCall(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('link', { name: text }).first().click();
  await page.getByRole('region', { name: 'Your answer' }).waitFor();
}
