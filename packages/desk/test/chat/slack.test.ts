import { visible } from '@holdpoint/desk';
import { type ChatApprovalsOptions, chatApprovals } from '@holdpoint/desk/chat';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { output, pay } from '../support/bank.ts';
import { ChatDesk } from './support/chat-desk.ts';
import type { SlackMessage } from './support/slack-api.ts';

/** The texts of a message, as Slack shows them. */
function textOf({ blocks }: SlackMessage): string {
  return blocks.flatMap(({ text }) => (text === undefined ? [] : [text.text])).join('\n');
}

const PAIR = { approvers: { pay: { roles: ['lead'], count: 2, notRequester: true } } } as const;

describe('a hold in a Slack channel', () => {
  it('is posted with its call, and executes after an approval by button', async () => {
    await using chat = await ChatDesk.open({ expiresAfter: 60 * 60_000 });
    const holdId = await chat.pay();

    const card = chat.card();
    expect(textOf(card)).toContain('Approve? Pay');
    expect(textOf(card)).toContain('│ 10 euros go to acme');
    expect(textOf(card)).toContain('*to* "acme"');
    expect(textOf(card)).toContain('*Requested by* ada');
    expect(textOf(card)).toMatch(/0 of 1 approvals\nExpires \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect(chat.button('open')?.url).toBe(`https://desk.example/inbox/holds/${holdId}`);
    expect(chat.button('approve')?.value).toMatch(/^[0-9a-f]{32}$/);

    await chat.press('approve');

    expect(await chat.desk.hold(holdId)).toMatchObject({
      state: 'decided',
      votes: [{ id: 'grace', roles: ['lead'] }],
    });
    expect(textOf(chat.card())).toContain('Approved by Grace (grace).');
    expect(chat.button('approve')).toBeUndefined();
    await chat.desk.drain();
    expect(chat.bank.paid).toHaveLength(1);
    const thread = chat.slack.in('C1', card.ts);
    expect(thread.map(({ text }) => text)).toEqual(['Approved by Grace (grace).']);
    expect(chat.errors).toEqual([]);
  });

  it('is denied with the reason of a form, which the agent receives', async () => {
    await using chat = await ChatDesk.open();
    const holdId = await chat.pay();

    await chat.press('deny');
    expect((await chat.desk.hold(holdId)).state).toBe('open');
    await chat.submit('Wrong *account* <!channel>');

    const { decisions, runId } = await chat.desk.hold(holdId);
    const decision = { kind: 'deny', reason: 'Wrong *account* <!channel>' };
    expect(decisions).toMatchObject([{ decision, by: { id: 'grace' } }]);
    const denied = 'Denied by Grace (grace). Reason: "Wrong ＊account＊ ＜!channel＞"';
    expect(textOf(chat.card())).toContain(denied);
    expect(chat.slack.in('C1', chat.card().ts)[0]?.text).toBe(denied);
    await chat.desk.drain();
    expect(chat.bank.paid).toEqual([]);
    expect(JSON.stringify((await chat.desk.run(runId)).output)).toContain('Wrong *account*');
  });

  it('is sent back to the agent with the question of a form', async () => {
    await using chat = await ChatDesk.open(PAIR);
    const holdId = await chat.pay();

    await chat.press('changes');
    expect((await chat.desk.hold(holdId)).state).toBe('open');
    await chat.submit('  ');
    expect(chat.notices('U_GRACE')[0]).toMatch(/needs a text/);
    await chat.press('changes');
    await chat.submit('Which *invoice*? <!channel>');

    const { decisions, state } = await chat.desk.hold(holdId);
    const decision = { kind: 'retry', message: 'Which *invoice*? <!channel>' };
    expect(decisions).toMatchObject([{ decision, by: { id: 'grace' } }]);
    expect(state).toBe('decided');
    expect(textOf(chat.card())).toContain(
      'Changes requested by Grace (grace). Message: "Which ＊invoice＊? ＜!channel＞"',
    );
    expect(chat.button('approve')).toBeUndefined();
    await chat.desk.drain();
    expect(chat.bank.paid).toEqual([]);
  });

  describe('whose agent responds to a request for changes', () => {
    const QUESTION = 'Which invoice?';
    const RESPONSE = 'Invoice *7*. <!channel>\n**Approved by Grace**';
    const responding = (...next: ReturnType<typeof calls>[]) =>
      new Agent({
        name: 'clerk',
        model: functionModel(({ messages }) => {
          const last = messages.at(-1)?.parts.at(-1)?.kind;
          if (last === 'user-prompt') return calls('pay', { to: 'acme' });
          return last === 'retry-prompt' ? responds(says(RESPONSE), ...next) : says('Done.');
        }),
        tools: [pay],
        output,
      });
    const SHOWN = '"Invoice ＊7＊. ＜!channel＞＼n＊＊Approved by Grace＊＊"';

    it('shows the response on the card of the new call, on its card and in its thread', async () => {
      const agent = responding(calls('pay', { to: 'acme', euros: 7 }));
      await using chat = await ChatDesk.open({ agent });
      await chat.pay();
      await chat.press('changes');
      await chat.submit(QUESTION);
      expect(textOf(chat.card())).not.toContain('Response');

      await chat.desk.drain();

      const [first, second] = [chat.card(0), chat.card(1)];
      expect(textOf(second)).toContain('│ 7 euros go to acme');
      expect(textOf(second)).toContain(`*Changes requested by Grace (grace)* "${QUESTION}"`);
      expect(textOf(second)).toContain(`*Response* ${SHOWN}`);
      expect(textOf(first)).toContain(`*Response* ${SHOWN}`);
      expect(chat.slack.in('C1', first.ts).map(({ text }) => text)).toEqual([
        `Changes requested by Grace (grace). Message: "${QUESTION}"`,
        `The agent responded to Grace (grace): ${SHOWN} Its new call has another card.`,
      ]);
      await chat.press('approve', { card: second });
      await chat.desk.drain();
      expect(chat.bank.paid).toMatchObject([{ to: 'acme', euros: 7 }]);
      expect(chat.slack.in('C1', first.ts)).toHaveLength(2);
      expect(chat.errors).toEqual([]);
    });

    it('shows the response of an agent that makes no other call, once', async () => {
      await using chat = await ChatDesk.open({ agent: responding() });
      const holdId = await chat.pay();
      await chat.press('changes');
      await chat.submit(QUESTION);
      await chat.desk.drain();
      const { tenant, runId, createdAt: at } = await chat.desk.hold(holdId);
      const outcome = 'decided';

      await chat.approvals.notify({ id: 'e', kind: 'run-finished', tenant, runId, at });
      const settled = {
        id: 's',
        kind: 'hold-settled',
        tenant,
        runId,
        at,
        holdId,
        outcome,
      } as const;
      await chat.approvals.notify(settled);

      expect(textOf(chat.card())).toContain(`*Response* ${SHOWN}`);
      expect(chat.slack.in('C1')).toHaveLength(1);
      expect(chat.slack.in('C1', chat.card().ts).map(({ text }) => text)).toEqual([
        `Changes requested by Grace (grace). Message: "${QUESTION}"`,
        `The agent responded to Grace (grace): ${SHOWN}`,
      ]);
    });

    it('shows no redacted value of the response', async () => {
      await using chat = await ChatDesk.open({ agent: responding(), redact: { pay: ['to'] } });
      await chat.pay();
      await chat.press('changes');
      await chat.submit('Is acme right?');
      await chat.desk.drain();

      expect(JSON.stringify(chat.slack.requests)).not.toContain('acme');
    });
  });

  it('needs two approvers if the policy does, and neither the requester nor one person twice', async () => {
    await using chat = await ChatDesk.open(PAIR);
    const holdId = await chat.pay();
    const value = chat.button('approve')?.value;

    await chat.press('approve', { user: 'U_ADA' });
    await chat.press('approve', { user: 'U_CLERK' });
    expect(chat.notices('U_ADA')).toHaveLength(1);
    expect(chat.notices('U_CLERK')).toHaveLength(1);
    expect((await chat.desk.hold(holdId)).decisions).toEqual([]);

    await chat.press('approve');
    expect(textOf(chat.card())).toContain('1 of 2 approvals: Grace (grace)');
    await chat.press('approve');
    expect(chat.notices('U_GRACE')[0]).toMatch(/You approved hold .* before/);
    expect((await chat.desk.hold(holdId)).votes).toHaveLength(1);

    // The second approver uses the card from before the first vote.
    await chat.press('approve', { user: 'U_LIN', value });

    expect((await chat.desk.hold(holdId)).state).toBe('decided');
    expect(textOf(chat.card())).toContain('Approved by Grace (grace) and lin.');
  });

  it('shows an edit of another approver, and a click on the earlier card decides nothing', async () => {
    await using chat = await ChatDesk.open({ approvers: { pay: { count: 2 } } });
    const holdId = await chat.pay();
    const earlier = chat.button('approve')?.value;
    const args = { to: 'zoe', euros: 5 };
    const { digest } = await chat.desk.hold(holdId);
    const { shown } = await chat.desk.previewEdit(holdId, args);
    const by = { id: 'grace', name: 'Grace' };
    const edit = { kind: 'approve', args } as const;
    await chat.desk.decide(holdId, edit, { by, roles: ['lead'], digest, shown });

    await chat.press('approve', { user: 'U_LIN', value: earlier });

    expect(chat.notices('U_LIN')[0]).toContain('has changed since this card was shown');
    expect((await chat.desk.hold(holdId)).decisions).toHaveLength(1);
    expect(textOf(chat.card())).toContain('│ 5 euros go to zoe');
    expect(textOf(chat.card())).not.toContain('acme');
    expect(chat.button('approve')?.value).not.toBe(earlier);

    await chat.press('approve', { user: 'U_LIN' });
    await chat.desk.drain();

    expect(chat.bank.paid).toMatchObject([{ to: 'zoe', euros: 5 }]);
    expect(textOf(chat.card())).toContain('Approved with edited arguments by');
  });

  it('is updated when it is decided or expires elsewhere, and its thread is sent the outcome once', async () => {
    await using chat = await ChatDesk.open({ expiresAfter: 60_000 });
    const holdId = await chat.pay();
    const late = await chat.pay('pay zoe');
    const { digest } = await chat.desk.hold(holdId);
    await chat.desk.decide(holdId, { kind: 'deny' }, { by: { id: 'lin' }, digest });
    chat.clock.advance(60_000);
    await chat.desk.drain();
    const events = await chat.desk.events({ limit: 100 });
    const settled = events.items.filter(({ kind }) => kind === 'hold-settled');

    // The desk can deliver an event again.
    for (const { id, tenant, runId, at } of settled) {
      const event = { id, tenant, runId, at, kind: 'hold-settled', outcome: 'decided' } as const;
      await chat.approvals.notify({ ...event, holdId: String(holdId) });
    }

    expect((await chat.desk.hold(late)).outcome).toBe('expired');
    const [first, second] = [chat.card(0), chat.card(1)];
    expect(textOf(first)).toContain('Denied by lin.');
    expect(textOf(second)).toContain('Expired without a decision.');
    expect([chat.button('approve', first), chat.button('deny', second)]).toEqual([
      undefined,
      undefined,
    ]);
    expect(chat.slack.in('C1', first.ts).map(({ text }) => text)).toEqual(['Denied by lin.']);
    expect(chat.slack.in('C1', second.ts)).toHaveLength(1);
  });

  it('is posted once although its event is delivered twice, and again if Slack failed', async () => {
    await using chat = await ChatDesk.open();
    chat.slack.failPosts(1);
    const holdId = await chat.pay();
    expect(chat.slack.in('C1')).toEqual([]);
    expect(chat.errors).not.toEqual([]);

    chat.clock.advance(60_000);
    await chat.desk.drain();
    const { tenant, runId, createdAt: at, kind: holdKind } = await chat.desk.hold(holdId);
    const event = {
      id: 'again',
      kind: 'hold-opened',
      tenant,
      runId,
      at,
      holdId,
      holdKind,
    } as const;
    await chat.approvals.notify(event);

    expect(chat.slack.in('C1')).toHaveLength(1);
  });

  it('sends the outcome once although a click and two deliveries of the event are concurrent', async () => {
    await using chat = await ChatDesk.open();
    const holdId = await chat.pay();
    const { tenant, runId, createdAt: at, digest } = await chat.desk.hold(holdId);
    await chat.desk.decide(holdId, { kind: 'approve' }, { by: { id: 'lin' }, digest });
    const outcome = 'decided';
    const event = { id: 'e', kind: 'hold-settled', tenant, runId, at, holdId, outcome } as const;

    await Promise.all([
      chat.approvals.notify(event),
      chat.press('approve'),
      chat.desk.drain(),
      chat.approvals.notify(event),
    ]);

    const sent = chat.slack.in('C1', chat.card().ts).map(({ text }) => text);
    expect(sent).toEqual(['Approved by lin.']);
    expect(textOf(chat.card())).toContain('Approved by lin.');
  });

  it('sends the outcome with the next delivery if Slack failed', async () => {
    await using chat = await ChatDesk.open();
    const holdId = await chat.pay();
    const { digest } = await chat.desk.hold(holdId);
    await chat.desk.decide(holdId, { kind: 'approve' }, { by: { id: 'lin' }, digest });
    chat.slack.failPosts(1);
    await chat.desk.drain();
    expect(chat.slack.in('C1', chat.card().ts)).toEqual([]);

    chat.clock.advance(60_000);
    await chat.desk.drain();

    expect(chat.slack.in('C1', chat.card().ts)).toHaveLength(1);
  });

  it('is posted to a thread, and its outcome and private notices go there', async () => {
    await using chat = await ChatDesk.open({
      channelFor: (bot) => () => bot.thread('slack:C1:1600000000.000001'),
    });
    await chat.pay();
    const thread = '1600000000.000001';
    const [card] = chat.slack.in('C1', thread);

    await chat.press('approve', { user: 'U_MALLORY', card });
    await chat.press('approve', { card });

    expect(chat.slack.of('chat.postEphemeral')[0]).toMatchObject({ thread_ts: thread });
    const texts = chat.slack.in('C1', thread).map(({ text }) => text);
    expect(texts.slice(1)).toEqual(['Approved by Grace (grace).']);
    expect(chat.slack.in('C1')).toEqual([]);
  });
});

describe('a click that must not decide', () => {
  it('is rejected with a wrong signature, or when it is old', async () => {
    await using chat = await ChatDesk.open();
    const holdId = await chat.pay();

    expect((await chat.press('approve', { secret: 'wrong' })).status).toBe(401);
    expect((await chat.press('approve', { ageSeconds: 600 })).status).toBe(401);

    expect((await chat.desk.hold(holdId)).decisions).toEqual([]);
    expect(chat.slack.of('chat.postEphemeral')).toEqual([]);
  });

  it('records nothing when it is replayed after the decision', async () => {
    await using chat = await ChatDesk.open();
    const holdId = await chat.pay();
    const value = chat.button('approve')?.value;
    await chat.press('deny');
    await chat.press('approve', { value });
    const before = await chat.desk.hold(holdId);

    await chat.press('approve', { value });
    await chat.press('approve', { value, user: 'U_LIN' });
    await chat.submit('too late');

    expect(await chat.desk.hold(holdId)).toEqual(before);
    expect(chat.notices('U_LIN')[0]).toContain('Nothing was recorded');
    await chat.desk.drain();
    expect(chat.bank.paid).toHaveLength(1);
  });

  it('of an unknown person sends a private notice, also for the form', async () => {
    await using chat = await ChatDesk.open();
    const holdId = await chat.pay();

    await chat.press('approve', { user: 'U_MALLORY' });
    await chat.press('deny', { user: 'U_MALLORY' });
    expect(chat.slack.of('views.open')).toEqual([]);
    await chat.press('deny');
    await chat.submit('no', 'U_MALLORY');

    expect((await chat.desk.hold(holdId)).decisions).toEqual([]);
    expect(chat.notices('U_MALLORY')).toHaveLength(3);
    expect(chat.notices('U_MALLORY')[2]).toMatch(/^You are not known at this desk. Nothing was/);
    expect(chat.slack.in('C1')).toHaveLength(1);
  });

  it('with another value, of a hold or of an API key, sends a private notice', async () => {
    await using chat = await ChatDesk.open();
    const holdId = await chat.pay();
    const { id } = await chat.desk.keys.create({
      account: 'shop',
      scopes: ['decide', 'read'],
      by: { id: 'ada' },
    });

    await chat.press('approve', { value: holdId });
    await chat.press('approve', { value: id });
    await chat.press('approve', { value: '' });

    expect((await chat.desk.hold(holdId)).decisions).toEqual([]);
    expect(chat.notices('U_GRACE')).toHaveLength(3);
    expect(chat.notices('U_GRACE')[0]).toContain('This card is no longer known.');
  });

  it('of a tenant reaches only holds of this tenant', async () => {
    await using chat = await ChatDesk.open();
    const other = chat.desk.forTenant('other');
    const runId = await other.start('teller', 'pay zoe');
    await chat.desk.drain();

    await chat.press('approve');

    const [hold] = (await other.holds({ runId, states: ['decided'] })).items;
    expect(hold).toMatchObject({ tenant: 'other', state: 'decided' });
  });
});

describe('options of chat approvals', () => {
  it('are rejected if they are unknown or missing', async () => {
    await using chat = await ChatDesk.open();
    const { desk, bot } = chat;
    const channelFor = () => undefined;
    const personFor = () => undefined;
    const misspelt: object = { desk, bot, channelFor, personFor, chanelFor: channelFor };
    const incomplete: object = { desk, bot, channelFor };
    // Programs without types pass anything.
    const open = (options: object) => chatApprovals(options as ChatApprovalsOptions);

    expect(() => open(misspelt)).toThrow(/Unknown option `chanelFor`.*Did you mean `channelFor`/);
    expect(() => open(incomplete)).toThrow(/needs `personFor`/);
    expect(() => open({ desk, bot: {}, channelFor, personFor })).toThrow(/`bot` is an object/);
  });
});

describe('the text of a card', () => {
  const HOSTILE =
    '<!channel> <@U1> <https://evil.example|ok> @here #general *b* _i_ ~s~ `c` [a](http://x.example) :smile: {{emoji:fire}} \u202Edeweiver\u0007\u200B ＠\n**Approved by Grace**';

  const hostile = tool({
    name: 'pay',
    inputSchema: z.looseObject({ to: z.string() }),
    requiresApproval: true,
    metadata: { title: `T ${HOSTILE}` },
    preview: ({ to }) => `P ${to}`,
    execute: () => 'paid',
  });
  const hostileAgent = new Agent({
    name: `a`,
    model: functionModel(({ messages }) =>
      messages.length === 1
        ? calls('pay', { to: HOSTILE, [HOSTILE]: [HOSTILE], secret: 'tiger', pin: 4711 })
        : says('Done.'),
    ),
    tools: [hostile],
  });

  it('has no markup, mention, link, emoji or hidden character of a model, tool or person', async () => {
    await using chat = await ChatDesk.open({ agent: hostileAgent });
    await chat.pay('go', { id: 'r', name: 'r <!channel> *b* @here \u202Edeweiver' });
    await chat.press('deny');
    await chat.submit(HOSTILE);

    const posts = [...chat.slack.of('chat.postMessage'), ...chat.slack.of('chat.update')];
    expect(posts.length).toBeGreaterThan(2);
    for (const { text = '', blocks = '[]' } of posts) {
      const shown = [text, ...JSON.parse(blocks).flatMap(textsIn)];
      for (const one of shown) {
        expect(one).not.toMatch(/[<>@#`~[\]]|\b_|:smile|emoji:|:\/\/|evil\.example|[*]b/);
        expect(one).toBe(visible(one));
        expect(one.replaceAll(/^\*(Approved|Tool|Agent)/gm, '')).not.toContain('*Approved by');
      }
    }
    expect(textOf(chat.card())).toContain('⟨U+202E⟩deweiver⟨U+0007⟩⟨U+200B⟩ ⟨U+FF20⟩');
    expect(textOf(chat.card())).toContain('│ ＊＊Approved by Grace＊＊');
  });

  it('has no redacted value, also in a reason', async () => {
    await using chat = await ChatDesk.open({
      agent: hostileAgent,
      redact: { pay: ['secret', 'pin', 'to'] },
    });
    await chat.pay('go');
    await chat.press('deny');
    await chat.submit('The code tiger and 4711.');

    const sent = JSON.stringify(chat.slack.requests);
    expect(sent).toContain('［redacted］');
    expect(sent).not.toMatch(/tiger|4711|deweiver/);
  });

  it('leaves out a call that is too long, which can only be denied there', async () => {
    const agent = new Agent({
      name: 'a',
      model: functionModel(({ messages }) =>
        messages.length === 1 ? calls('pay', { to: 'x'.repeat(3_000) }) : says('Done.'),
      ),
      tools: [hostile],
    });
    await using chat = await ChatDesk.open({ agent });
    const holdId = await chat.pay('go');

    expect(textOf(chat.card())).toContain('The call is too long for a card.');
    expect(textOf(chat.card())).not.toContain('xxx');
    expect(chat.button('approve')).toBeUndefined();
    const value = chat.button('deny')?.value;
    await chat.press('approve', { value });

    expect((await chat.desk.hold(holdId)).decisions).toEqual([]);
    expect(chat.notices('U_GRACE')[0]).toContain('too long for a card');
  });
});

/** All texts of a block. */
function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    name === 'text' && typeof one === 'string' ? [one] : textsIn(one),
  );
}
