import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../support/chromium.ts';
import { repository } from '../support/run-program.ts';

/** The example in a separate process, as a user starts it. */
async function startExample(
  mode: 'serve' | 'desk',
): Promise<{ readonly example: ChildProcess; readonly url: string }> {
  const args = ['--conditions=holdpoint-source', 'examples/chat-ui/main.ts', mode];
  const example = spawn(`${repository}node_modules/.bin/node`, args, {
    cwd: repository,
    env: { ...process.env, HOLDPOINT_MODEL: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await Promise.race([once(example.stdout, 'data'), once(example, 'exit')]);
  const url = /http:\/\/\S+/.exec(String(printed))?.[0];
  if (url === undefined) throw new Error(`The example printed no address: ${printed}`);
  return { example, url };
}

/** A browser with chats of one example. */
class Chats implements AsyncDisposable {
  readonly errors: string[] = [];
  readonly #example: ChildProcess;
  readonly #browser: Browser;
  readonly #url: string;

  private constructor(example: ChildProcess, browser: Browser, url: string) {
    this.#example = example;
    this.#browser = browser;
    this.#url = url;
  }

  static async start(mode: 'serve' | 'desk'): Promise<Chats> {
    const { example, url } = await startExample(mode);
    return new Chats(example, await launchBrowser(), url);
  }

  /** Opens an address of the example in a tab. */
  async openPage(path: string): Promise<Page> {
    const page = await this.#browser.newPage();
    page.on('pageerror', (error) => this.errors.push(String(error)));
    page.setDefaultTimeout(30_000);
    await page.goto(`${this.#url}${path}`);
    return page;
  }

  /** Opens a chat in a tab. */
  async open(chatId: string): Promise<Page> {
    const page = await this.openPage(`/#${chatId}`);
    await page.getByRole('heading', { name: 'Support' }).waitFor();
    return page;
  }

  /** Opens a chat with a refund that is pending. */
  async requestRefund(chatId: string): Promise<Page> {
    const page = await this.open(chatId);
    await send(page, 'Refund my order.');
    await page.getByText('Pays 40 euros back for order 17.').waitFor();
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    this.#example.kill('SIGINT');
    await once(this.#example, 'exit');
    expect(this.errors).toEqual([]);
  }
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

const click = (page: Page, name: string) => page.getByRole('button', { name }).click();

describe('in Chromium, a page with `useChat`', () => {
  let chats: Chats;

  beforeAll(async () => {
    chats = await Chats.start('serve');
  });

  afterAll(() => chats[Symbol.asyncDispose]());

  const open = (chatId: string) => chats.open(chatId);
  const requestRefund = (chatId: string) => chats.requestRefund(chatId);

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

  it('shows in a second tab what the first one decided, without a reload', async () => {
    const first = await requestRefund('tabs');
    const second = await open('tabs');
    await second.getByText('Pays 40 euros back for order 17.').waitFor();
    await click(first, 'Approve');

    for (const page of [first, second]) {
      await page.getByText('refund: 40 euros refunded.').waitFor();
      expect(await page.locator('[data-state=output-available]').count()).toBe(1);
      expect(await page.getByRole('article').count()).toBe(2);
    }
    await send(second, 'Refund my order.');
    await first.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await first.getByRole('article').count()).toBe(4);
  });

  it('shows the outcome in a tab that decides too late', async () => {
    const first = await requestRefund('late');
    const second = await open('late');
    await second.getByText('Pays 40 euros back for order 17.').waitFor();
    // This tab no longer receives notifications.
    await second.route('**/changes', (route) => route.abort());
    await second.reload();
    await second.getByText('Pays 40 euros back for order 17.').waitFor();
    await click(first, 'Approve');
    await first.getByText('refund: 40 euros refunded.').waitFor();

    await click(second, 'Deny');

    await second.getByText('refund: 40 euros refunded.').waitFor();
    expect(await second.locator('[data-state=output-available]').count()).toBe(1);
  });
});

describe('in Chromium, a page with `useChat` beside the inbox of the desk', () => {
  let chats: Chats;

  beforeAll(async () => {
    chats = await Chats.start('desk');
  });

  afterAll(() => chats[Symbol.asyncDispose]());

  /** Opens the only hold that is pending in the inbox. */
  const openInbox = async (name: RegExp): Promise<Page> => {
    const inbox = await chats.openPage('/desk/inbox');
    await inbox.getByRole('link', { name }).first().click();
    return inbox;
  };

  it('shows an approval of the inbox without a reload', async () => {
    const chat = await chats.requestRefund('approved');
    const inbox = await openInbox(/40 euros/);
    await inbox.getByRole('button', { name: 'Approve', exact: true }).click();

    await chat.getByText('refund: 40 euros refunded.').waitFor();
    expect(await chat.locator('[data-state=output-available]').count()).toBe(1);
    expect(await chat.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await chat.getByRole('article').count()).toBe(2);
    await send(chat, 'Refund my order.');
    await click(chat, 'Approve');
    await expect.poll(() => chat.getByText('refund: 40 euros refunded.').count()).toBe(2);
  });

  it('shows a denial of the inbox with its reason without a reload', async () => {
    const chat = await chats.requestRefund('denied');
    const inbox = await openInbox(/40 euros/);
    await inbox.getByRole('button', { name: 'Deny …' }).click();
    await inbox.getByLabel(/Reason/).fill('The lamp was used.');
    await inbox.getByRole('button', { name: 'Deny', exact: true }).click();

    await chat.getByText(/refund: The lamp was used\./).waitFor();
    expect(await chat.locator('[data-state=output-denied]').count()).toBe(1);
  });

  it('shows the outcome of a call that its user may not decide', async () => {
    const chat = await chats.open('sofa');
    await send(chat, 'Refund the sofa.');
    await chat.locator('[data-state=input-available]').waitFor();
    expect(await chat.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    const inbox = await openInbox(/400 euros/);
    await inbox.getByRole('button', { name: 'Approve', exact: true }).click();

    await chat.getByText('refund: 400 euros refunded.').waitFor();
    expect(await chat.getByRole('article').count()).toBe(2);
  });

  it('shows the response to a question that was given in the inbox', async () => {
    const chat = await chats.open('question');
    await send(chat, 'Please deliver it.');
    await chat.getByLabel('Where to?').waitFor();
    const inbox = await openInbox(/Where to/);
    await inbox
      .getByRole('button', { name: /Respond/ })
      .first()
      .click();
    const respond = inbox.getByRole('button', { name: 'Respond', exact: true }).last();
    await inbox.locator('form').filter({ has: respond }).getByRole('textbox').last().fill('Lyon');
    await respond.click();

    await chat.getByText('deliver: order 17 is on its way to Lyon.').waitFor();
  });
});
