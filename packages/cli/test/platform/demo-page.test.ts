import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../core/test/support/chromium.ts';
import { bin } from '../support/holdpoint.ts';
import { hasTmux, Terminal } from '../support/tmux.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

/** The links that the demo has printed so far, in their order. */
async function linksOf(terminal: Terminal): Promise<readonly string[]> {
  return (await terminal.scrollback()).match(/http:\S+\/enter\?token=[\w-]{43}/g) ?? [];
}

/** Somebody comes in with a link, in a browser of their own. */
async function comeIn(link: string | undefined): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(link ?? '');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/inbox');
  return page;
}

async function approve(page: Page, call: RegExp): Promise<void> {
  await page.getByRole('link', { name: call }).first().click();
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
}

describe.skipIf(!hasTmux())('the page of the demo', () => {
  it('takes the answer that the terminal waits for, and a quorum of two people afterwards', async () => {
    await using terminal = await Terminal.open(bin, ['demo', 'desk']);
    const asked = await terminal.see('May refund run?');
    const [link] = await linksOf(terminal);
    expect(asked, 'whoever is asked sees the link as well').toContain(link);
    const grace = await comeIn(link);
    await grace.getByText('0 of 2 agree').waitFor();
    await grace.getByText('needs a result').waitFor();
    await grace.getByText(/\d min .* left/).waitFor();

    await approve(grace, /40 euros go back/);

    await terminal.see('Ctrl-C ends it.');
    const shown = await terminal.scrollback();
    expect(shown).toMatch(/Grace \(\w+\) has answered it\s+meanwhile, with 'approve'\./);
    expect(shown).toMatch(/✓ in the books: 40 euros back for order 17\n[^]*✓ it is found/);

    const edsger = await comeIn((await linksOf(terminal))[1]);
    await approve(edsger, /1860 euros go to/);
    await terminal.see('transfer: 1 of 2 have agreed: Edsger.');
    await approve(grace, /1860 euros go to/);
    await terminal.see('the agent says: “Done. 1860 euros were sent.”');

    await terminal.press('C-c');
    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
  });
});
