import { visible } from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TelegramDesk } from './support/telegram-desk.ts';

describe('a hold in a Telegram group', () => {
  it('is posted with its call, and executes after an approval by button', async () => {
    await using chat = await TelegramDesk.open();
    const { desk, bank, errors } = chat.parts;
    const holdId = await chat.pay();

    expect(errors).toEqual([]);
    expect(chat.card.text).toContain('Approve? Pay');
    expect(chat.card.text).toContain('│ 10 euros go to acme');
    expect(chat.card.text).toContain('*Requested by* ada');
    expect(chat.card.text).toContain('0 of 1 approvals');
    const labels = chat.card.buttons.map(({ text }) => text);
    expect(labels).toEqual(['Approve', 'Deny …', 'Request changes …', 'Open in inbox']);
    expect(chat.button('Open in inbox')?.url).toBe(`https://desk.example/inbox/holds/${holdId}`);

    await chat.press('Approve');

    expect(await desk.hold(holdId)).toMatchObject({
      state: 'decided',
      votes: [{ id: 'grace', roles: ['lead'] }],
    });
    expect(chat.card.text).toContain('Approved by Grace (grace).');
    expect(chat.card.buttons.map(({ text }) => text)).toEqual(['Open in inbox']);
    await desk.drain();
    expect(bank.paid).toHaveLength(1);
    expect(chat.messages.slice(1).map(({ text }) => text)).toEqual(['Approved by Grace (grace).']);
    expect(errors).toEqual([]);
  });

  it('is denied without a reason, because there are no forms, and changes need the inbox', async () => {
    await using chat = await TelegramDesk.open();
    const { desk, bank, errors } = chat.parts;
    const holdId = await chat.pay();

    await chat.press('Request changes …');
    expect(chat.notices('77')).toEqual([expect.stringContaining('This platform has no forms')]);
    expect((await desk.hold(holdId)).decisions).toEqual([]);
    await chat.press('Deny …');

    const { decisions } = await desk.hold(holdId);
    expect(decisions).toMatchObject([{ decision: { kind: 'deny' }, by: { id: 'grace' } }]);
    expect(chat.card.text).toContain('Denied by Grace (grace).');
    await desk.drain();
    expect(bank.paid).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('needs two approvers if the policy does, and a repeated or late click records nothing', async () => {
    await using chat = await TelegramDesk.open({ approvers: { count: 2 } });
    const { desk, errors } = chat.parts;
    const holdId = await chat.pay();
    const data = chat.button('Approve')?.callback_data;

    await chat.press('Approve', { update: 100 });
    await chat.press('Approve', { update: 100 });
    expect(chat.notices('77')).toEqual([]);
    await chat.press('Approve');
    expect(chat.notices('77')).toEqual([expect.stringMatching(/You approved hold .* before/)]);
    expect(chat.card.text).toContain('1 of 2 approvals: Grace (grace)');
    expect((await desk.hold(holdId)).votes).toHaveLength(1);
    await chat.press('Approve', { user: '78' });
    const decided = await desk.hold(holdId);
    expect(decided.state).toBe('decided');

    // The card is unchanged, because Telegram rejects an edit without changes.
    await chat.press('Approve', { data });

    expect(await desk.hold(holdId)).toEqual(decided);
    expect(chat.notices('77').at(-1)).toContain('Nothing was recorded');
    expect(errors).toEqual([]);
  });

  it('is updated once although its events are delivered again', async () => {
    await using chat = await TelegramDesk.open();
    const { desk, errors, approvals } = chat.parts;
    const holdId = await chat.pay();
    const { tenant, runId, createdAt: at, digest } = await desk.hold(holdId);
    await desk.decide(holdId, { kind: 'deny' }, { by: { id: 'lin' }, digest });
    await desk.drain();
    const outcome = 'decided';

    await approvals.notify({ id: 'e', kind: 'hold-settled', tenant, runId, at, holdId, outcome });

    expect(chat.messages.map(({ text }) => text.split('\n').at(-1))).toEqual([
      'Denied by lin.',
      'Denied by lin.',
    ]);
    expect(errors).toEqual([]);
  });
});

describe('a click in Telegram that must not decide', () => {
  it('is rejected with a wrong secret', async () => {
    await using chat = await TelegramDesk.open();
    const { desk } = chat.parts;
    const holdId = await chat.pay();

    expect((await chat.press('Approve', { secret: 'wrong' })).status).toBe(401);

    expect((await desk.hold(holdId)).decisions).toEqual([]);
  });

  it('of an unknown user sends a private message', async () => {
    await using chat = await TelegramDesk.open();
    const { desk } = chat.parts;
    const holdId = await chat.pay();

    await chat.press('Approve', { user: '666' });

    expect(chat.notices('666')).toEqual([
      expect.stringMatching(/^You are not known at this desk. Nothing was decided/),
    ]);
    expect((await desk.hold(holdId)).decisions).toEqual([]);
  });
});

describe('the text of a card in Telegram', () => {
  const HOSTILE =
    '*b* _i_ ~s~ `c` ||d|| [a](tg://user?id=7) https://evil.example @here #x /start {{emoji:fire}} \u202Edeweiver\n> q\n**Approved by Grace**';
  const send = tool({
    name: 'pay',
    inputSchema: z.looseObject({ to: z.string() }),
    requiresApproval: true,
    metadata: { title: `T ${HOSTILE}` },
    preview: ({ to }) => `P ${to}`,
    execute: () => 'paid',
  });
  const sender = (to: string) =>
    new Agent({
      name: 'a',
      model: functionModel(({ messages }) =>
        messages.length === 1 ? calls('pay', { to }) : says('Done.'),
      ),
      tools: [send],
    });

  it('has no markup, mention, link, command or hidden character of a model, tool or person', async () => {
    await using chat = await TelegramDesk.open({ agent: sender(HOSTILE) });
    await chat.pay('go', { id: 'r', name: 'r @here *b* /start' });

    const { text } = chat.card;
    expect(text).not.toMatch(/[<>@#`~[\]_]|:\/\/|evil\.example|[*]b|\/start|emoji:/);
    expect(text).toBe(visible(text));
    expect(text).not.toContain('*Approved by');
    expect(text).toContain('│ ＊＊Approved by Grace＊＊');
  });

  it('has no button to approve if the name of the requester moves the call out of the message', async () => {
    await using chat = await TelegramDesk.open({ agent: sender('x'.repeat(1_000)) });
    await chat.pay('go', { id: 'r', name: '!'.repeat(1_500) });

    expect(chat.card.text).toContain('The call is too long for a card.');
    expect(chat.button('Approve')).toBeUndefined();
  });

  it('is complete if the call can be approved there', async () => {
    // The adapter escapes punctuation before it cuts the message after 4,096 characters.
    for (const [to, isWhole] of [
      ['x'.repeat(1_100), true],
      ['(!)'.repeat(400), false],
      ['x'.repeat(2_000), false],
    ] as const) {
      await using chat = await TelegramDesk.open({ agent: sender(to) });
      await chat.pay('go');

      const { text } = chat.card;
      expect(text.split(to)).toHaveLength(isWhole ? 3 : 1);
      expect(text.includes('The call is too long for a card.')).toBe(!isWhole);
      expect(chat.button('Approve') !== undefined).toBe(isWhole);
      expect(chat.button('Deny …')).toBeDefined();
    }
  });
});
