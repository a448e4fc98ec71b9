import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { signIn } from '@holdpoint/desk/sign-in';
import { COOKIE, EDSGER, GRACE, type InboxSite, inboxSite } from './support/inbox-site.ts';
import { focusedText, press, tabTo } from './support/keys.ts';
import { Visitors } from './support/visitors.ts';

const PERSON = { id: GRACE.id, name: GRACE.name };
const AN_HOUR = 3_600_000;

/** The forms that `keyboard.test.ts` does not have. No test uses the mouse. */
describe('keyboard, without the mouse', () => {
  let browser: Browser;
  let provider: ReturnType<typeof signIn> | undefined;
  let site: InboxSite;
  let visitors: Visitors;
  let page: Page;

  beforeAll(async () => {
    browser = await launchBrowser();
    site = await inboxSite({
      desk: { approvers: { refund: { grants: 'agent' } } },
      app(store, url) {
        provider = signIn({ store, url });
        return { signIn: provider };
      },
    });
    visitors = new Visitors(browser, site);
    page = await visitors.open(GRACE);
  });
  afterEach(() => page.context().addCookies([{ name: COOKIE, value: GRACE.id, url: site.url }]));
  afterAll(async () => {
    visitors?.expectNoErrors(/401/);
    await visitors?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  const refund = (order: string) => ({
    toolName: 'refund',
    args: { order, euros: 40, reason: 'broken' },
  });

  /** Parks a call of `refund` and returns the id of its hold. */
  async function park(order: string): Promise<string> {
    const runId = await site.startRun(`Lamp ${order} is broken.`, refund(order));
    return (await site.openHold(runId)).id;
  }

  const open = (path: string) => page.goto(`${site.url}/inbox${path}`);
  const outcome = () => page.locator('.outcome').waitFor();

  it('approves with a grant, and revokes the grant', async () => {
    await open(`/holds/${await park('1')}`);
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await tabTo(page, /^Remember this approval/);
    await page.keyboard.press('ArrowDown');
    await press(page, 'Approve');
    await outcome();

    await tabTo(page, 'Grants', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Revoke' }).waitFor();
    await press(page, /^Revoke/);
    await page.getByText(/Revoked just now/).waitFor();
    expect(await focusedText(page)).toContain('Refund');
    expect((await site.desk.grants()).items.map(({ revokedBy }) => revokedBy)).toEqual([PERSON]);
  });

  it('approves several holds', async () => {
    const ids = [await park('2'), await park('3')];
    await open('/open');
    await page.getByRole('link', { name: /order 3/ }).waitFor();
    await press(page, 'Select several');
    await press(page, 'Select all');
    await tabTo(page, 'Approve …', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Approve 2 holds?' }).waitFor();
    await press(page, 'Approve 2 holds');

    await page.getByRole('dialog').waitFor({ state: 'detached' });
    for (const id of ids) expect((await site.desk.hold(id)).state).toBe('decided');
  });

  it('confirms that a call in doubt is executed again', async () => {
    const attempts = site.keys.length;
    const holdId = await site.parkInDoubt();
    await open(`/holds/${holdId}`);
    await page.getByText('This may already have happened').waitFor();
    await page.keyboard.press('End');
    await press(page, 'Execute again …');
    await page.getByRole('dialog', { name: 'Execute this call again?' }).waitFor();
    expect(site.keys).toHaveLength(attempts + 1);
    await page.keyboard.press('Enter');

    await outcome();
    expect((await site.desk.hold(holdId)).state).toBe('decided');
  });

  it('records a failure', async () => {
    const holdId = await site.parkInDoubt();
    await open(`/holds/${holdId}`);
    await page.getByText('This may already have happened').waitFor();
    await page.keyboard.press('End');
    await press(page, 'Record what happened …');
    await tabTo(page, 'It was done', 'Shift+Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await tabTo(page, /^Reason for the failure/);
    await page.keyboard.type('The bank was closed.');
    await press(page, 'Record result');

    await outcome();
    expect(await site.decisionsOn(holdId)).toContainEqual({
      kind: 'fail',
      message: 'The bank was closed.',
    });
  });

  it('confirms an edit of another approver', async () => {
    const holdId = await park('4');
    await open(`/holds/${holdId}`);
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    const { args } = refund('4');
    await site.desk.decide(
      holdId,
      { kind: 'approve', args: { ...args, euros: 35 } },
      // Without the preview of the edit it is a proposal without a vote.
      { by: { id: EDSGER.id }, digest: (await site.desk.hold(holdId)).digest },
    );
    await page.getByRole('button', { name: 'I have seen this' }).waitFor();
    await press(page, 'I have seen this');
    await press(page, 'Approve as edited');

    await outcome();
  });

  it('retries a stuck run', async () => {
    const runId = await site.startRun('Nothing.', refund('5'));
    await site.store.write(async (tx) => {
      const run = await tx.runs.get('default', runId);
      if (run !== undefined) await tx.runs.put({ ...run, state: 'stuck' });
    });
    await open(`/runs/${runId}`);
    await page.getByRole('button', { name: 'Retry the run' }).waitFor();
    await press(page, 'Retry the run');

    await page.getByRole('button', { name: 'Retry the run' }).waitFor({ state: 'detached' });
    expect(await focusedText(page)).toContain('Nothing.');
    expect(((await site.desk.run(runId)) as { state: string }).state).toBe('ready');
  });

  it('continues after the session has ended', async () => {
    const holdId = await park('6');
    await open(`/holds/${holdId}`);
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    // The page may notice the end of the session before the key is pressed.
    await tabTo(page, 'Approve');
    await page.context().clearCookies();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'You are not signed in' }).waitFor();
    await page.context().addCookies([{ name: COOKIE, value: GRACE.id, url: site.url }]);
    await press(page, 'Continue');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await press(page, 'Approve');

    await outcome();
  });

  it('decides with the page of a decision link', async () => {
    for (const [order, decision] of [
      ['7', 'Approve'],
      ['8', 'Deny'],
    ] as const) {
      const holdId = await park(order);
      const link = await site.desk.decisionLink(holdId, { for: PERSON, expiresAfter: AN_HOUR });
      await page.goto(link.url);
      if (decision === 'Deny') {
        await tabTo(page, /^Reason/);
        await page.keyboard.type('Not this month.');
      }
      await press(page, decision);

      await page.getByText('Your decision is recorded.').waitFor();
      const [recorded] = await site.decisionsOn(holdId);
      expect(recorded).toMatchObject({ kind: decision.toLowerCase() });
    }
  });

  it('signs in with the page of a sign-in link', async () => {
    const link = await provider?.signInLink({ tenant: 'default', person: PERSON });
    await page.context().clearCookies();
    await page.goto(link?.url ?? '');
    await press(page, 'Sign in');

    await page.waitForURL('**/inbox');
    await page.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor();
  });
});
