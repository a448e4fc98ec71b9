import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../support/chromium.ts';
import { repository } from '../support/run-program.ts';

/** The example in a process of its own, as a user starts it. */
async function startExample(): Promise<{ readonly example: ChildProcess; readonly url: string }> {
  const args = [
    '--conditions=holdpoint-source',
    '--import',
    'tsx',
    'examples/chat-ui/main.ts',
    'serve',
  ];
  const example = spawn(`${repository}node_modules/.bin/node`, args, {
    cwd: repository,
    env: { ...process.env, HOLDPOINT_MODEL: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await once(example.stdout, 'data');
  const url = /http:\/\/\S+/.exec(String(printed))?.[0];
  if (url === undefined) throw new Error(`The example printed no address: ${printed}`);
  return { example, url };
}

describe('in Chromium, a page with `useChat`', () => {
  let example: ChildProcess;
  let url: string;
  let browser: Browser;
  const errors: string[] = [];

  beforeAll(async () => {
    ({ example, url } = await startExample());
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser.close();
    example.kill();
    await once(example, 'exit');
    expect(errors).toEqual([]);
  });

  /** Opens a chat in a tab. */
  const open = async (chatId: string): Promise<Page> => {
    const page = await browser.newPage();
    page.on('pageerror', (error) => errors.push(String(error)));
    page.setDefaultTimeout(30_000);
    await page.goto(`${url}/#${chatId}`);
    await page.getByRole('heading', { name: 'Support' }).waitFor();
    return page;
  };

  const send = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };

  const click = (page: Page, name: string) => page.getByRole('button', { name }).click();

  const requestRefund = async (chatId: string): Promise<Page> => {
    const page = await open(chatId);
    await send(page, 'Refund my order.');
    await page.getByText('Pays 40 euros back for order 17.').waitFor();
    return page;
  };

  it('approves a call', async () => {
    const page = await requestRefund('approve');
    await click(page, 'Approve');

    await page.getByText('refund: 40 euros refunded.').waitFor();
    expect(await page.getByRole('article').count()).toBe(2);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('denies a call', async () => {
    const page = await requestRefund('deny');
    await click(page, 'Deny');

    await page.getByText('refund: The tool call was denied..').waitFor();
    expect(await page.locator('[data-state=output-denied]').count()).toBe(1);
  });

  it('edits the arguments of a call', async () => {
    const page = await requestRefund('edit');
    await click(page, 'Edit');
    await page.getByLabel('Arguments').fill('{"order":"17","euros":15}');
    await click(page, 'Approve');

    await page.getByText('refund: 15 euros refunded.').waitFor();
  });

  it('supplies the result of its own tool', async () => {
    const page = await open('external');
    await send(page, 'What time is it?');

    await page.getByText(/^get_time_zone: \w/).waitFor();
  });

  it('responds to a question, with an invalid input first', async () => {
    const page = await open('question');
    await send(page, 'Please deliver it.');
    await page.getByLabel('Where to?').fill('L');
    await click(page, 'Respond');
    await page.getByRole('alert').waitFor();
    await page.reload();
    await page.getByLabel('Where to?').fill('Lyon');
    await click(page, 'Respond');

    await page.getByText('deliver: order 17 is on its way to Lyon.').waitFor();
  });

  it('shows the pending call after a reload, and decides it', async () => {
    const page = await requestRefund('reload');
    await page.reload();
    await page.getByText('Pays 40 euros back for order 17.').waitFor();
    await click(page, 'Approve');

    await page.getByText('refund: 40 euros refunded.').waitFor();
    await page.reload();
    await page.getByText('refund: 40 euros refunded.').waitFor();
    expect(await page.getByRole('article').count()).toBe(2);
  });

  it('shows in a second tab what the first one decided', async () => {
    const first = await requestRefund('tabs');
    const second = await open('tabs');
    const third = await open('tabs');
    await click(first, 'Approve');
    await first.getByText('refund: 40 euros refunded.').waitFor();

    await click(second, 'Refresh');
    await second.getByText('refund: 40 euros refunded.').waitFor();
    // A tab that was not refreshed decides too late: it shows the outcome.
    await click(third, 'Deny');
    await third.getByText('refund: 40 euros refunded.').waitFor();
    expect(await third.locator('[data-state=output-available]').count()).toBe(1);
  });
});
