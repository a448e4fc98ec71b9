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

/** Returns the links that the demo has printed, in order. */
async function linksOf(terminal: Terminal): Promise<readonly string[]> {
  return (await terminal.scrollback()).match(/http:\S+\/enter\?token=[\w-]{43}/g) ?? [];
}

/** Signs in with a link, in another browser. */
async function signIn(link: string | undefined): Promise<Page> {
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

describe.skipIf(!hasTmux())('the inbox of the demo', () => {
  it('decides the hold that the terminal shows, and the transfer with two approvers', async () => {
    await using terminal = await Terminal.open(bin, ['demo', 'desk']);
    const prompt = await terminal.see('Approve refund?');
    const [link] = await linksOf(terminal);
    expect(prompt, 'the prompt and the link are both visible').toContain(link);
    const grace = await signIn(link);
    await grace.getByText('0 of 2 approvals').waitFor();
    await grace.getByText('Result required').waitFor();
    await grace.getByText(/Expires in \d+ min/).waitFor();

    await approve(grace, /Refund €40/);

    await terminal.see('Press Ctrl-C to stop.');
    const shown = await terminal.scrollback();
    expect(shown).toMatch(/Grace \(\w+\) decided first: approve\./);
    expect(shown).toMatch(
      /✓ journal of the shop: Refunded €40 for order 17\n[^]*✓ the forgery is detected/,
    );

    const edsger = await signIn((await linksOf(terminal))[1]);
    await approve(edsger, /Transfer €1,860 to/);
    await terminal.see('Transfer: 1 of 2 approvals (Edsger).');
    await approve(grace, /Transfer €1,860 to/);
    await terminal.see('the agent: “Done. Transferred €1,860 to Lumen & Sons.”');

    await terminal.press('C-c');
    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
  });
});
