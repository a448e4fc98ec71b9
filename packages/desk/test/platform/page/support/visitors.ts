import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { COOKIE, type InboxSite, type Account } from './inbox-site.ts';

/** How a person opens the page. */
export interface VisitOptions {
  readonly path?: string | undefined;
  readonly colorScheme?: 'light' | 'dark' | undefined;
  readonly viewport?: { readonly width: number; readonly height: number } | undefined;
}

export const ANONYMOUS: Account = { id: 'none', name: '', roles: [] };
export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 800 };

/** People with the page open, and the errors of their browsers. */
export class Visitors implements AsyncDisposable {
  /** Errors of scripts, policies and requests. */
  readonly errors: string[] = [];
  readonly #browser: Browser;
  readonly #site: InboxSite;
  readonly #contexts: BrowserContext[] = [];

  constructor(browser: Browser, site: InboxSite) {
    this.#browser = browser;
    this.#site = site;
  }

  /** Opens the page in a separate browser profile. */
  async open(
    account: Account,
    { path = '', colorScheme, viewport = DESKTOP }: VisitOptions = {},
  ): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport,
      // A colour in transition has no fixed contrast.
      reducedMotion: 'reduce',
      ...(colorScheme && { colorScheme }),
    });
    this.#contexts.push(context);
    context.setDefaultTimeout(20_000);
    await context.addCookies([{ name: COOKIE, value: account.id, url: this.#site.url }]);
    return this.openTab(context, path);
  }

  /** Opens another tab of the same browser profile. */
  async openTab(context: BrowserContext, path = ''): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => this.errors.push(String(error)));
    page.on('dialog', (dialog) => this.errors.push(`A dialog was opened: ${dialog.message()}`));
    page.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(message.text());
    });
    await page.goto(`${this.#site.url}/inbox${path}`);
    return page;
  }

  expectNoErrors(except?: RegExp): void {
    expect(this.errors.filter((error) => except === undefined || !except.test(error))).toEqual([]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const context of this.#contexts) await context.close();
  }
}

/** Opens a hold from the list by the text of its row. */
export async function openHold(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('link', { name: text }).first().click();
  await page.getByRole('region', { name: 'Your decision' }).waitFor();
  await readArguments(page);
}

/** Unlocks the actions of a hold whose arguments do not fit on the screen. */
export async function readArguments(page: Page): Promise<void> {
  // One step: the button disappears once the arguments are on screen.
  await page.evaluate(() => document.querySelector<HTMLElement>('.read-first')?.click());
}
