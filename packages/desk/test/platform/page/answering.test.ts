import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../core/test/support/chromium.ts';
import { ADA, EDSGER, GRACE, type InboxSite, inboxSite } from './support/inbox-site.ts';
import { openCall, PHONE, Visitors } from './support/visitors.ts';

const REFUND = { toolName: 'refund', args: { order: '17', euros: 40, reason: 'broken' } };
const TRANSFER = { toolName: 'transfer', args: { account: 'NL91', euros: 1250 } };

describe('on the page, people', () => {
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
          refund: { roles: ['refunds'], remember: 'agent' },
          // Without separation of duties: an edit is a vote of its author.
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

  it('approve a call with one act, and it runs', async () => {
    await site.ask('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE, { viewport: PHONE });
    await openCall(page, /40 euros go back for order 17/);
    await page.getByText('Requested by Ada').waitFor();

    await page.getByRole('button', { name: 'Approve', exact: true }).click();

    await page
      .getByText(/has approved it/)
      .first()
      .waitFor();
    await site.work();
    expect(site.done).toEqual([{ toolName: 'refund', args: REFUND.args }]);
    await page.getByText('Nothing else waits for you.').waitFor();
    visitors.expectNoComplaints();
  });

  it('deny a call with a reason, which the agent is told', async () => {
    const runId = await site.ask('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await openCall(page, /40 euros/);

    await page.getByRole('button', { name: 'Deny …' }).click();
    await page.getByLabel(/Why\?/).fill('The lamp was used.');
    await page.getByRole('button', { name: 'Deny', exact: true }).click();

    await page
      .getByText(/has denied it/)
      .first()
      .waitFor();
    await site.work();
    expect(site.done).toEqual([]);
    const { conversationId } = await site.desk.run(runId);
    expect(JSON.stringify(await site.desk.history(conversationId))).toContain('The lamp was used.');
  });

  it('edit a call: an invalid value is refused as it is typed, and the change is shown first', async () => {
    await site.ask('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await openCall(page, /40 euros/);
    await page.getByRole('button', { name: 'Edit …' }).click();
    const amount = page.getByLabel('Amount in euros');
    const look = page.getByRole('button', { name: 'Review changes' });

    await amount.fill('forty');
    await page.getByText('This is not a number.').waitFor();
    expect(await look.isDisabled()).toBe(true);
    await amount.fill('-5');
    await page.getByText('This must be more than 0.').waitFor();
    expect(await amount.getAttribute('aria-invalid')).toBe('true');
    const described = await amount.getAttribute('aria-describedby');
    expect(described).toMatch(/problem/);
    expect(await look.isDisabled()).toBe(true);

    await amount.fill('35');
    await page.getByText('1 change.').waitFor();
    await look.click();
    const changes = page.locator('.changes');
    expect(await changes.locator('del').innerText()).toContain('40');
    expect(await changes.locator('ins').innerText()).toContain('35');
    expect(site.done).toEqual([]);
    await page.getByRole('button', { name: 'Approve with these changes' }).click();

    await page
      .getByText(/has changed it and approved that/)
      .first()
      .waitFor();
    await site.work();
    expect(site.done).toEqual([{ toolName: 'refund', args: { ...REFUND.args, euros: 35 } }]);
    visitors.expectNoComplaints();
  });

  it('agree two by two: the first vote is seen by the second, who decides', async () => {
    await site.ask('Pay the printer.', TRANSFER);
    const grace = await visitors.open(GRACE);
    const edsger = await visitors.open(EDSGER);
    await openCall(grace, /1250 euros/);
    await openCall(edsger, /1250 euros/);

    await grace.getByRole('button', { name: 'Approve', exact: true }).click();
    await grace.getByText('1 of 2 so far.').waitFor();
    await site.work();
    expect(site.done).toEqual([]);
    // She has said what she had to say.
    expect(await grace.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    await grace.locator('.list-pane').getByText('Nothing waits for you.').waitFor();

    await edsger.getByText('1 of 2 so far.').waitFor();
    await edsger.getByText(/Grace Hopper .* has approved it/).waitFor();
    await edsger.getByRole('button', { name: 'Approve', exact: true }).click();

    await edsger
      .locator('.outcome')
      .getByText(/has approved it/)
      .waitFor();
    await grace
      .locator('.outcome')
      .getByText(/Edsger .* has approved it/)
      .waitFor();
    await site.work();
    expect(site.done).toEqual([{ toolName: 'transfer', args: TRANSFER.args }]);
    visitors.expectNoComplaints();
  });

  it('see an edit after the first vote, and cannot answer before they have seen it', async () => {
    await site.ask('Pay the printer.', TRANSFER);
    const grace = await visitors.open(GRACE);
    const edsger = await visitors.open(EDSGER);
    await openCall(grace, /1250 euros/);
    await grace.getByRole('button', { name: 'Approve', exact: true }).click();
    await grace.getByText('1 of 2 so far.').waitFor();
    await openCall(edsger, /1250 euros/);
    await edsger.getByRole('button', { name: 'Edit …' }).click();
    await edsger.getByLabel('Amount in euros').fill('125');
    await edsger.getByRole('button', { name: 'Review changes' }).click();
    await edsger.getByRole('button', { name: 'Approve with these changes' }).click();
    await edsger.getByText('1 of 2 so far.').waitFor();

    // Grace's vote was about something else. She is shown what, and has to say that she has seen it.
    const notice = grace.getByRole('region', { name: /has changed while you looked/ });
    await notice.waitFor();
    expect(await notice.locator('del').innerText()).toContain('1250');
    expect(await notice.locator('ins').innerText()).toContain('125');
    await grace.getByText(/does not count any more/).waitFor();
    const approve = grace.getByRole('button', { name: 'Approve as changed' });
    expect(await approve.isDisabled()).toBe(true);
    await grace.getByText('It has changed. Look at the change first.').waitFor();
    await grace.getByRole('button', { name: 'I have seen this' }).click();
    await approve.click();

    await grace.locator('.outcome').waitFor();
    await site.work();
    expect(site.done).toEqual([{ toolName: 'transfer', args: { ...TRANSFER.args, euros: 125 } }]);
    visitors.expectNoComplaints();
  });

  it('cannot say yes to a question about what somebody has changed meanwhile', async () => {
    await site.ask('Pay the printer.', TRANSFER);
    const page = await visitors.open(GRACE);
    await openCall(page, /1250 euros/);
    await page.keyboard.press('a');
    const yes = page.getByRole('button', { name: 'Yes, approve' });
    await yes.waitFor();

    const [hold] = (await site.desk.holds()).items;
    await site.desk.answer(
      hold?.id ?? '',
      { kind: 'edit', args: { ...TRANSFER.args, euros: 9_999 } },
      { by: { id: EDSGER.id }, roles: EDSGER.roles, digest: hold?.digest ?? '' },
    );

    await page.getByRole('dialog').getByText('It has changed. Look at the change first.').waitFor();
    expect(await yes.isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have seen this' }).click();
    await page.getByRole('button', { name: 'Approve as changed' }).waitFor();
    expect((await site.desk.hold(hold?.id ?? '')).answers).toHaveLength(1);
    visitors.expectNoComplaints();
  });

  it('are asked again when an edit has made their vote void', async () => {
    await site.ask('Pay the printer.', TRANSFER);
    const page = await visitors.open(GRACE);
    await openCall(page, /1250 euros/);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.locator('.list-pane').getByText('Nothing waits for you.').waitFor();

    const [hold] = (await site.desk.holds()).items;
    const args = { ...TRANSFER.args, euros: 9 };
    const { shown } = await site.desk.checkEdit(hold?.id ?? '', args);
    await site.desk.answer(
      hold?.id ?? '',
      { kind: 'edit', args },
      { by: { id: EDSGER.id }, roles: EDSGER.roles, digest: hold?.digest ?? '', shown },
    );

    await page
      .locator('.list-pane')
      .getByRole('link', { name: /1 of 2 agree/ })
      .waitFor();
  });

  it('see what they may not answer, and why', async () => {
    await site.ask('Pay the printer.', TRANSFER);
    const page = await visitors.open(ADA, { path: '/open' });
    await openCall(page, /1250 euros/);

    await page
      .getByText(/Only these approvers may decide: those with one of the roles treasury/)
      .waitFor();
    expect(await page.getByRole('button', { name: /Approve/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'For you' }).click();
    await page.getByText('Nothing waits for you.').waitFor();
    visitors.expectNoComplaints();
  });

  it('answer an external call with a result', async () => {
    await site.ask('Is there another?', {
      toolName: 'ask_warehouse',
      args: { question: 'Is there another lamp?' },
    });
    const page = await visitors.open(GRACE);
    await openCall(page, /another lamp/);

    await page.getByRole('button', { name: 'Record result …' }).click();
    await page.getByLabel('This is JSON').check();
    const text = page.getByLabel(/What is the result\?/);
    await text.fill('{"stock":');
    await page.getByText('This is not JSON yet.').waitFor();
    await text.fill('{"stock": 3}');
    await page.getByRole('button', { name: 'Record result' }).click();

    await page
      .getByText(/has given the result/)
      .first()
      .waitFor();
    const [hold] = (await site.desk.holds({ states: ['decided', 'consumed'] })).items;
    const { answers } = await site.desk.hold(hold?.id ?? '');
    expect(answers[0]?.answer).toEqual({ kind: 'result', value: { stock: 3 } });
    visitors.expectNoComplaints();
  });

  it.each([
    ['Ask again', 'retry', 'Ask about the shade, too.'],
    ['It could not be done', 'fail', 'The warehouse is closed.'],
  ])('answer an external call otherwise: %s', async (label, kind, message) => {
    await site.ask('Is there another?', {
      toolName: 'ask_warehouse',
      args: { question: 'A lamp?' },
    });
    const page = await visitors.open(GRACE);
    await openCall(page, /A lamp/);
    await page.getByRole('button', { name: 'Record result …' }).click();
    await page.getByLabel(label).check();
    await page.getByRole('textbox').last().fill(message);
    await page.getByRole('button', { name: 'Record result' }).click();
    await page.locator('.outcome').waitFor();

    const [hold] = (await site.desk.holds({ states: ['decided', 'consumed'] })).items;
    const { answers } = await site.desk.hold(hold?.id ?? '');
    expect(answers[0]?.answer).toEqual({ kind, message });
  });

  it('have an approval remembered, see the grant, and revoke it', async () => {
    await site.ask('The lamp is broken.', REFUND);
    const page = await visitors.open(GRACE);
    await openCall(page, /40 euros/);
    await page.getByLabel('An approval is for').selectOption({ index: 4 });
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.locator('.outcome').waitFor();
    await site.work();

    // The same call by the same agent: nobody is asked.
    await site.ask('Another one.', REFUND);
    await site.work();
    expect(site.done).toHaveLength(2);
    await page.getByRole('link', { name: 'Grants' }).click();
    await page.getByText('used 1 of 10 times').waitFor();
    await page.getByRole('button', { name: /Revoke/ }).click();
    await page.getByText(/revoked just now/).waitFor();

    await site.ask('A third one.', REFUND);
    await site.work();
    expect(site.done).toHaveLength(2);
    visitors.expectNoComplaints();
  });
});
