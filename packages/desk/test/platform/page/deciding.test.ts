import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { ADA, EDSGER, GRACE, type InboxSite, inboxSite } from './support/inbox-site.ts';
import { openHold, PHONE, readArguments, Visitors } from './support/visitors.ts';

const REFUND = { toolName: 'refund', args: { order: '17', euros: 40, reason: 'broken' } };
const TRANSFER = { toolName: 'transfer', args: { account: 'NL91', euros: 1250 } };

describe('approvers on the page', () => {
  let browser: Browser;
  let site: InboxSite;
  let visitors: Visitors;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    site = await inboxSite({
      desk: {
        approvers: {
          refund: { roles: ['refunds'], grants: 'agent' },
          // Without separation of duties, so that an edit is also a vote of its author.
          transfer: { roles: ['treasury'], count: 2 },
        },
      },
    });
    visitors = new Visitors(browser, site);
  });
  afterEach(async () => {
    await visitors[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  it('approve a call with one click, and it is executed', async () => {
    await site.startRun('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE, { viewport: PHONE });
    await openHold(page, /Refund €40 for order 17/);
    await page.locator('.sheet-head').getByText('Requested by Ada').waitFor();

    await page.getByRole('button', { name: 'Approve', exact: true }).click();

    await page
      .getByText(/approved this call/)
      .first()
      .waitFor();
    await site.work();
    expect(site.executed).toEqual([{ toolName: 'refund', args: REFUND.args }]);
    await page.getByText('No other hold is waiting for you.').waitFor();
    visitors.expectNoErrors();
  });

  it('deny a call with a reason, which the agent receives', async () => {
    const runId = await site.startRun('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await openHold(page, /€40/);

    await page.getByRole('button', { name: 'Deny …' }).click();
    await page.getByLabel(/Reason/).fill('The lamp was used.');
    await page.getByRole('button', { name: 'Deny', exact: true }).click();

    await page
      .getByText(/denied this call/)
      .first()
      .waitFor();
    await site.work();
    expect(site.executed).toEqual([]);
    const { conversationId } = await site.desk.run(runId);
    expect(JSON.stringify(await site.desk.history(conversationId))).toContain('The lamp was used.');
  });

  it('respond to a question with the keyboard: invalid input first, and another desk resumes the run', async () => {
    const runId = await site.startRun('Book a table.', {
      toolName: 'book',
      args: { restaurant: 'Delfts' },
    });
    const page = await visitors.open(ADA);
    await openHold(page, /How many guests at Delfts/);
    await page.getByText('Response required').first().waitFor();
    await page.getByRole('button', { name: 'Decline …' }).waitFor();

    await page.keyboard.press('r');
    const guests = page.getByLabel('Guests');
    const respond = page.getByRole('button', { name: 'Respond', exact: true });
    await expect.poll(() => guests.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await respond.isDisabled()).toBe(true);
    await page.keyboard.type('20');
    await page.getByText('This must be at most 8.').waitFor();
    await page.getByLabel('Room').selectOption('terrace');
    expect(await respond.isDisabled()).toBe(true);
    await guests.fill('4');
    await guests.press('Enter');

    await page
      .getByText(/responded to the question/)
      .first()
      .waitFor();
    await using other = await inboxSite({ store: site.store });
    await other.desk.work({ runId });
    expect(other.executed).toEqual([{ toolName: 'book', args: { guests: 4, room: 'terrace' } }]);
    visitors.expectNoErrors();
  });

  it('edit a call: invalid values are rejected while typing, and the change is reviewed first', async () => {
    await site.startRun('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await openHold(page, /€40/);
    await page.getByRole('button', { name: 'Edit …' }).click();
    const amount = page.getByLabel('Amount in euros');
    const review = page.getByRole('button', { name: 'Review changes' });

    await amount.fill('forty');
    await page.getByText('Enter a number.').waitFor();
    expect(await review.isDisabled()).toBe(true);
    await amount.fill('-5');
    await page.getByText('This must be more than 0.').waitFor();
    expect(await amount.getAttribute('aria-invalid')).toBe('true');
    const described = await amount.getAttribute('aria-describedby');
    expect(described).toMatch(/problem/);
    expect(await review.isDisabled()).toBe(true);

    await amount.fill('35');
    await page.getByText('1 change.').waitFor();
    await review.click();
    const changes = page.locator('.changes');
    expect(await changes.locator('del').innerText()).toContain('40');
    expect(await changes.locator('ins').innerText()).toContain('35');
    expect(site.executed).toEqual([]);
    await page.getByRole('button', { name: 'Approve with these changes' }).click();

    await page
      .getByText(/edited the arguments and approved this call/)
      .first()
      .waitFor();
    await site.work();
    expect(site.executed).toEqual([{ toolName: 'refund', args: { ...REFUND.args, euros: 35 } }]);
    visitors.expectNoErrors();
  });

  it('approve together: the second approver sees the vote of the first and decides', async () => {
    await site.startRun('Pay the printer.', TRANSFER);
    const grace = await visitors.open(GRACE);
    const edsger = await visitors.open(EDSGER);
    await openHold(grace, /€1250/);
    await openHold(edsger, /€1250/);

    await grace.getByRole('button', { name: 'Approve', exact: true }).click();
    await grace.getByText('1 of 2 approvals.').waitFor();
    await site.work();
    expect(site.executed).toEqual([]);
    expect(await grace.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    await grace.locator('.list-pane').getByText('No hold is waiting for you.').waitFor();

    await edsger.getByText('1 of 2 approvals.').waitFor();
    await edsger.getByText(/Grace Hopper .* approved this call/).waitFor();
    await edsger.getByRole('button', { name: 'Approve', exact: true }).click();

    await edsger
      .locator('.outcome')
      .getByText(/approved this call/)
      .waitFor();
    await grace
      .locator('.outcome')
      .getByText(/Edsger .* approved this call/)
      .waitFor();
    await site.work();
    expect(site.executed).toEqual([{ toolName: 'transfer', args: TRANSFER.args }]);
    visitors.expectNoErrors();
  });

  it('confirm that they have seen an edit before they decide', async () => {
    await site.startRun('Pay the printer.', TRANSFER);
    const grace = await visitors.open(GRACE);
    const edsger = await visitors.open(EDSGER);
    await openHold(grace, /€1250/);
    await grace.getByRole('button', { name: 'Approve', exact: true }).click();
    await grace.getByText('1 of 2 approvals.').waitFor();
    await openHold(edsger, /€1250/);
    await edsger.getByRole('button', { name: 'Edit …' }).click();
    await edsger.getByLabel('Amount in euros').fill('125');
    await edsger.getByRole('button', { name: 'Review changes' }).click();
    await edsger.getByRole('button', { name: 'Approve with these changes' }).click();
    await edsger.getByText('1 of 2 approvals.').waitFor();

    // The edit voids Grace's vote. She must confirm the change.
    const notice = grace.getByRole('region', { name: /changed while you had it open/ });
    await notice.waitFor();
    expect(await notice.locator('del').innerText()).toContain('1250');
    expect(await notice.locator('ins').innerText()).toContain('125');
    await grace.getByText(/so this does not count any more/).waitFor();
    const approve = grace.getByRole('button', { name: 'Approve as edited' });
    await readArguments(grace);
    expect(await approve.isDisabled()).toBe(true);
    await grace.getByText('The call has changed. Review the change first.').waitFor();
    await grace.getByRole('button', { name: 'I have seen this' }).click();
    await approve.click();

    await grace.locator('.outcome').waitFor();
    await site.work();
    expect(site.executed).toEqual([
      { toolName: 'transfer', args: { ...TRANSFER.args, euros: 125 } },
    ]);
    visitors.expectNoErrors();
  });

  it('cannot confirm an approval of a call that another approver has just edited', async () => {
    await site.startRun('Pay the printer.', TRANSFER);
    const page = await visitors.open(GRACE);
    await openHold(page, /€1250/);
    await page.keyboard.press('a');
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Approve' });
    await confirm.waitFor();

    const hold = await site.openHold();
    await site.decide(hold, EDSGER, {
      kind: 'approve',
      args: { ...TRANSFER.args, euros: 9_999 },
    });

    await page
      .getByRole('dialog')
      .getByText('The call has changed. Review the change first.')
      .waitFor();
    expect(await confirm.isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have seen this' }).click();
    await readArguments(page);
    await page.getByRole('button', { name: 'Approve as edited' }).waitFor();
    expect(await site.decisionsOn(hold.id)).toHaveLength(1);
    visitors.expectNoErrors();
  });

  it('find a hold in their list again after an edit voided their vote', async () => {
    await site.startRun('Pay the printer.', TRANSFER);
    const page = await visitors.open(GRACE);
    await openHold(page, /€1250/);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.locator('.list-pane').getByText('No hold is waiting for you.').waitFor();

    const args = { ...TRANSFER.args, euros: 9 };
    await site.decide(await site.openHold(), EDSGER, { kind: 'approve', args });

    // The list and the second approver see the preview of the edited call.
    const row = page.locator('.list-pane').getByRole('link', { name: /1 of 2 approvals/ });
    await row.waitFor();
    expect(await row.innerText()).toContain('Transfer €9 to NL91');
    await page.locator('.preview').getByText('Transfer €9 to NL91').waitFor();
    await page.getByRole('button', { name: 'I have seen this' }).click();
    await readArguments(page);
    await page.getByRole('button', { name: 'Approve as edited' }).waitFor();
  });

  it('see holds that they may not decide, and the reason', async () => {
    await site.startRun('Pay the printer.', TRANSFER);
    const page = await visitors.open(ADA, { path: '/open' });
    await openHold(page, /€1250/);

    await page
      .getByText(/Only these approvers may decide: people with the role treasury/)
      .waitFor();
    expect(await page.getByRole('button', { name: /Approve/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'For you' }).click();
    await page.getByText('No hold is waiting for you.').waitFor();
    visitors.expectNoErrors();
  });

  it('record the result of an external call', async () => {
    await site.startRun('Is there another?', {
      toolName: 'ask_warehouse',
      args: { question: 'Is there another lamp?' },
    });
    const page = await visitors.open(GRACE);
    await openHold(page, /another lamp/);

    await page.getByRole('button', { name: 'Record result …' }).click();
    await page.getByLabel('The result is JSON').check();
    const text = page.getByLabel(/Result\. The agent receives it/);
    await text.fill('{"stock":');
    await page.getByText('This is not valid JSON.').waitFor();
    await text.fill('{"stock": 3}');
    await page.getByRole('button', { name: 'Record result' }).click();

    await page
      .getByText(/recorded the result/)
      .first()
      .waitFor();
    const [hold] = (await site.desk.holds({ states: ['decided', 'consumed'] })).items;
    expect((await site.decisionsOn(hold?.id ?? ''))[0]).toEqual({
      kind: 'result',
      value: { stock: 3 },
    });
    visitors.expectNoErrors();
  });

  it.each([
    ['Request changes', 'retry', 'Ask about the shade, too.'],
    ['It failed', 'fail', 'The warehouse is closed.'],
  ])('end an external call without a result: %s', async (label, kind, message) => {
    await site.startRun('Is there another?', {
      toolName: 'ask_warehouse',
      args: { question: 'A lamp?' },
    });
    const page = await visitors.open(GRACE);
    await openHold(page, /A lamp/);
    await page.getByRole('button', { name: 'Record result …' }).click();
    await page.getByLabel(label).check();
    const record = page.getByRole('button', { name: 'Record result' });
    await page.locator('form').filter({ has: record }).getByRole('textbox').last().fill(message);
    await record.click();
    await page.locator('.outcome').waitFor();

    const [hold] = (await site.desk.holds({ states: ['decided', 'consumed'] })).items;
    expect((await site.decisionsOn(hold?.id ?? ''))[0]).toEqual({ kind, message });
  });

  it('create a grant, see it, and revoke it', async () => {
    await site.startRun('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await openHold(page, /€40/);
    await page.getByLabel('Remember this approval').selectOption({ index: 4 });
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.locator('.outcome').waitFor();
    await site.work();

    // The grant approves the same call by the same agent.
    await site.startRun('Another one.', REFUND);
    await site.work();
    expect(site.executed).toHaveLength(2);
    await page.getByRole('link', { name: 'Grants' }).click();
    await page.getByText('Used 1 of 10 times').waitFor();
    await page.getByRole('button', { name: /Revoke/ }).click();
    await page.getByText(/Revoked just now/).waitFor();

    await site.startRun('A third one.', REFUND);
    await site.work();
    expect(site.executed).toHaveLength(2);
    visitors.expectNoErrors();
  });
});
