import { Chat } from '@ai-sdk/react';
import { type ApproverRule, type Desk, type HoldRow, openDesk, sqliteStore } from '@holdpoint/desk';
import { type DeskChatAccess, deskChats } from '@holdpoint/desk/chat-ui';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai';
import { Agent, InputRequired, tool } from 'holdpoint';
import { agUiHandler } from 'holdpoint/ag-ui';
import { chatHandler, type ChatHandler, QUESTION_TOOL } from 'holdpoint/ai-sdk-ui';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const authorize = (request: Request, chatId: string): DeskChatAccess => {
  const id = request.headers.get('x-user') ?? 'ada';
  return { conversationId: chatId, by: { id }, roles: id === 'ada' ? [] : ['accounting'] };
};

function chatOf(handle: ChatHandler, user: string, messages: UIMessage[] = []): Chat<UIMessage> {
  const fetchFromHandler: typeof fetch = (input, init) => {
    const request = new Request(new URL(String(input), 'http://desk.test'), init);
    request.headers.set('x-user', user);
    return handle(request);
  };
  return new Chat({
    id: 'chat-1',
    messages,
    transport: new DefaultChatTransport({ api: '/api/chat', fetch: fetchFromHandler }),
    sendAutomaticallyWhen: (options) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
      lastAssistantMessageIsCompleteWithToolCalls(options),
  });
}

const history = async (handle: ChatHandler, user: string): Promise<UIMessage[]> =>
  (
    await handle(new Request('http://desk.test/api/chat/chat-1', { headers: { 'x-user': user } }))
  ).json();

async function idle(chat: Chat<UIMessage>): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    quiet = chat.status === 'ready' || chat.status === 'error' ? quiet + 1 : 0;
  }
}

const outline = (chat: Chat<UIMessage>) =>
  (chat.messages.at(-1)?.parts ?? [])
    .map((part) => ('toolCallId' in part ? part.state : part.type))
    .join(' ');

function shop(
  model = scriptedModel(calls('pay', { euros: 40 }), says('Paid.'), says('Hello again.')),
) {
  const paid: number[] = [];
  const pay = tool({
    name: 'pay',
    inputSchema: z.object({ euros: z.number() }),
    requiresApproval: true,
    preview: ({ euros }) => `Pays ${euros} euros.`,
    execute: ({ euros }) => {
      paid.push(euros);
      return 'paid';
    },
  });
  return { paid, agent: new Agent({ model, tools: [pay] }) };
}

const approve = (chat: Chat<UIMessage>) => decide(chat, true);

const decide = async (chat: Chat<UIMessage>, approved: boolean) => {
  const part = chat.messages
    .at(-1)
    ?.parts.find((one) => 'toolCallId' in one && one.state === 'approval-requested');
  if (part === undefined || !('approval' in part) || part.approval === undefined) {
    throw new Error(`No approval is requested: ${outline(chat)}`);
  }
  await chat.addToolApprovalResponse({ id: part.approval.id, approved });
  await idle(chat);
};

/** The same rule for every call. */
type Policy = () => ApproverRule;

describe('a chat of the desk', () => {
  async function withDesk(
    approvers: Policy | undefined,
    work: (desk: Desk, handle: ChatHandler, paid: number[]) => Promise<void>,
    { paid, agent } = shop(),
  ): Promise<void> {
    const store = await sqliteStore();
    const desk = openDesk({
      store,
      agents: { shop: { agent } },
      ...(approvers && { approvers }),
    });
    const working = desk.startWorker({ pollMs: 20 });
    const handle = chatHandler({ backend: deskChats(desk, { agent: 'shop' }), authorize });
    try {
      await work(desk, handle, paid);
    } finally {
      await desk.close();
      await working;
      await store.close();
    }
  }

  it('approves a hold, and continues the conversation', async () => {
    await withDesk(undefined, async (_desk, handle, paid) => {
      const chat = chatOf(handle, 'ada');
      await chat.sendMessage({ text: 'Pay.' });
      await idle(chat);
      expect(outline(chat)).toBe('step-start approval-requested');
      await approve(chat);

      expect(chat.error).toBeUndefined();
      expect(outline(chat)).toBe('step-start output-available step-start text');
      expect(paid).toEqual([40]);
      await chat.sendMessage({ text: 'Hello?' });
      await idle(chat);
      expect(outline(chat)).toBe('step-start text');
      expect((await history(handle, 'ada')).map(({ id }) => id).slice(1, 2)).toEqual([
        chat.messages[1]?.id,
      ]);
    });
  });

  it('shows a hold that was decided in the inbox', async () => {
    await withDesk(undefined, async (desk, handle, paid) => {
      const chat = chatOf(handle, 'ada');
      await chat.sendMessage({ text: 'Pay.' });
      await idle(chat);
      const [hold] = (await desk.holds({ states: ['open'] })).items;
      if (hold === undefined) throw new Error('There is no hold.');
      const by = { id: 'grace' };
      await desk.decide(hold.id, { kind: 'approve' }, { by, digest: hold.digest });
      await desk.waitFor(hold.runId);

      chat.messages = await history(handle, 'ada');

      expect(outline(chat)).toBe('step-start output-available step-start text');
      expect(paid).toEqual([40]);
    });
  });

  it('requests a hold again until its quorum is reached, and only of eligible users', async () => {
    const approvers: Policy = () => ({ roles: ['accounting'], count: 2 });
    await withDesk(approvers, async (_desk, handle, paid) => {
      const requester = chatOf(handle, 'ada');
      await requester.sendMessage({ text: 'Pay.' });
      await idle(requester);
      expect(outline(requester)).toBe('step-start input-available');

      const grace = chatOf(handle, 'grace', await history(handle, 'grace'));
      await approve(grace);
      expect(grace.error).toBeUndefined();
      expect(outline(grace)).toBe('step-start approval-requested');
      expect(JSON.stringify(grace.messages)).toContain('1 of 2 approvals');
      expect(paid).toEqual([]);

      const alan = chatOf(handle, 'alan', await history(handle, 'alan'));
      await approve(alan);
      expect(alan.error).toBeUndefined();
      expect(outline(alan)).toBe('step-start output-available step-start text');
      expect(paid).toEqual([40]);
    });
  });

  it('follows a run that resumes after a decision in the inbox', async () => {
    await withDesk(undefined, async (desk, handle) => {
      const chat = chatOf(handle, 'ada');
      await chat.sendMessage({ text: 'Pay.' });
      await idle(chat);
      const [hold] = (await desk.holds({ states: ['open'] })).items;
      if (hold === undefined) throw new Error('There is no hold.');
      await desk.decide(hold.id, { kind: 'approve' }, { by: { id: 'grace' }, digest: hold.digest });

      await chat.resumeStream();
      await idle(chat);

      expect(chat.error).toBeUndefined();
      expect(outline(chat)).toBe('step-start output-available step-start text');
      expect(chat.messages).toHaveLength(2);
    });
  });

  it('responds to a question in a later turn, with an invalid input first', async () => {
    const book = tool({
      name: 'book',
      execute(_args, { input }) {
        if (input === undefined) {
          throw new InputRequired({
            message: 'Where to?',
            schema: { type: 'string', minLength: 3 },
          });
        }
        return `booked ${String(input)}`;
      },
    });
    const { paid } = shop();
    const model = scriptedModel(says('Hello.'), calls('book', {}), says('Booked.'));
    await withDesk(
      undefined,
      async (_desk, handle) => {
        const chat = chatOf(handle, 'ada');
        await chat.sendMessage({ text: 'Hello.' });
        await idle(chat);
        await chat.sendMessage({ text: 'Book.' });
        await idle(chat);
        const respond = async (output: string) => {
          const part = chat.messages
            .at(-1)
            ?.parts.findLast(
              (one) => one.type === 'dynamic-tool' && one.state === 'input-available',
            );
          if (part?.type !== 'dynamic-tool') throw new Error(`No question: ${outline(chat)}`);
          await chat.addToolOutput({ tool: QUESTION_TOOL, toolCallId: part.toolCallId, output });
          await idle(chat);
        };
        await respond('L');
        expect(outline(chat)).toContain('input-available');
        await respond('Lyon');

        expect(chat.error).toBeUndefined();
        expect(JSON.stringify(chat.messages)).toContain('booked Lyon');
        expect(JSON.stringify(chat.messages.at(-1))).toContain('Booked.');
      },
      { paid, agent: new Agent({ model, tools: [book] }) },
    );
  });

  it('shows the warnings of a hold', async () => {
    const again = scriptedModel(
      calls('pay', { euros: 40 }),
      calls('pay', { euros: 40 }),
      says('Paid.'),
    );
    const { paid, agent } = shop(again);
    await withDesk(
      undefined,
      async (_desk, handle) => {
        const chat = chatOf(handle, 'ada');
        await chat.sendMessage({ text: 'Pay.' });
        await idle(chat);
        await decide(chat, false);

        expect(outline(chat)).toBe('step-start output-denied step-start approval-requested');
        expect(JSON.stringify(chat.messages.at(-1)?.parts.at(-1))).toContain('"deniedBefore":true');
        expect(paid).toEqual([]);
      },
      { paid, agent },
    );
  });

  const BOTH: Policy = () => ({ roles: ['accounting'], count: 2, grants: 'conversation' });
  const BOB = { by: { id: 'bob' }, roles: ['accounting'] };

  async function openHold(desk: Desk): Promise<HoldRow> {
    const [hold] = (await desk.holds({ states: ['open'] })).items;
    if (hold === undefined) throw new Error('There is no hold.');
    return hold;
  }

  it('does not approve an edit of another approver that the page has not shown', async () => {
    await withDesk(BOTH, async (desk, handle, paid) => {
      await chatOf(handle, 'ada').sendMessage({ text: 'Pay.' });
      const grace = chatOf(handle, 'grace', await history(handle, 'grace'));
      const hold = await openHold(desk);
      const edit = { kind: 'approve', args: { euros: 45_000 } } as const;
      const { shown } = await desk.previewEdit(hold.id, edit.args);
      await desk.decide(hold.id, edit, { ...BOB, digest: hold.digest, shown });

      await approve(grace);
      await desk.drain();

      expect(paid).toEqual([]);
      expect((await openHold(desk)).votes).toMatchObject([{ id: 'bob' }]);
      expect(JSON.stringify(grace.messages)).toContain('Pays 45000 euros.');
      await approve(grace);
      expect(paid).toEqual([45_000]);
    });
  });

  it('does not approve an edit over AG-UI that the thread has not shown', async () => {
    await withDesk(BOTH, async (desk, handle, paid) => {
      await chatOf(handle, 'ada').sendMessage({ text: 'Pay.' });
      const hold = await openHold(desk);
      const edit = { kind: 'approve', args: { euros: 45_000 } } as const;
      const { shown } = await desk.previewEdit(hold.id, edit.args);
      await desk.decide(hold.id, edit, { ...BOB, digest: hold.digest, shown });
      const thread = agUiHandler({ backend: deskChats(desk, { agent: 'shop' }), authorize });

      const response = await thread(
        new Request('http://desk.test/agent', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-user': 'grace' },
          body: JSON.stringify({
            threadId: 'chat-1',
            runId: 'run-1',
            messages: [],
            tools: [],
            context: [],
            resume: [{ interruptId: hold.id, status: 'resolved', payload: { approved: true } }],
          }),
        }),
      );

      expect(await response.text()).toContain('Pays 45000 euros.');
      expect((await openHold(desk)).votes).toMatchObject([{ id: 'bob' }]);
      expect(paid).toEqual([]);
    });
  });

  it('leaves a hold whose approval would also create a grant to the inbox', async () => {
    await withDesk(BOTH, async (desk, handle) => {
      await chatOf(handle, 'ada').sendMessage({ text: 'Pay.' });
      const { id, digest } = await openHold(desk);
      const grant = { match: 'tool', scope: 'conversation' } as const;
      await desk.decide(id, { kind: 'approve' }, { ...BOB, digest, grant });

      const grace = chatOf(handle, 'grace', await history(handle, 'grace'));

      expect(outline(grace)).toBe('step-start input-available');
    });
  });

  it('cannot decide a hold of another tenant, with `useChat` or AG-UI', async () => {
    await withDesk(undefined, async (desk, handle, paid) => {
      const victim = chatOf(handle, 'ada');
      await victim.sendMessage({ text: 'Pay.' });
      await idle(victim);
      const [hold] = (await desk.holds({ states: ['open'] })).items;
      if (hold === undefined) throw new Error('There is no hold.');
      const backend = deskChats(desk.forTenant('other'), { agent: 'shop' });
      // The attacker has the messages of the victim, with an approval, and the id of the conversation.
      const messages = JSON.parse(
        JSON.stringify(victim.messages)
          .replaceAll('approval-requested', 'approval-responded')
          .replaceAll(`"id":"${hold.id}"`, `"id":"${hold.id}","approved":true`),
      );
      expect(JSON.stringify(messages)).toContain(`"id":"${hold.id}","approved":true`);
      const post = (attacked: (request: Request) => Promise<Response>, body: object) =>
        attacked(
          new Request('http://desk.test/api/chat', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }),
        );

      const chat = await post(chatHandler({ backend, authorize }), { id: 'chat-1', messages });
      const thread = await post(agUiHandler({ backend, authorize }), {
        threadId: 'chat-1',
        runId: 'run-1',
        messages: [],
        tools: [],
        context: [],
        resume: [{ interruptId: hold.id, status: 'resolved', payload: { approved: true } }],
      });
      const texts = [await chat.text(), await thread.text()];
      await desk.drain();

      expect(texts.join()).not.toContain('Pays 40 euros.');
      expect((await desk.hold(hold.id)).state).toBe('open');
      expect(paid).toEqual([]);
      expect((await desk.forTenant('other').runs({})).items).toEqual([]);
    });
  });

  it('shows the calls of a sub-agent with their own results', async () => {
    const { paid, agent: cashier } = shop();
    const agent = new Agent({
      model: scriptedModel(calls('cashier', { prompt: 'Pay.' }), says('The cashier paid.')),
      tools: [cashier.asTool({ name: 'cashier' })],
    });
    const nested = (chat: Chat<UIMessage>) =>
      chat.messages.at(-1)?.parts.find((part) => part.type === 'dynamic-tool');
    await withDesk(
      undefined,
      async (_desk, handle) => {
        const chat = chatOf(handle, 'ada');
        await chat.sendMessage({ text: 'Pay.' });
        await idle(chat);
        expect(nested(chat)).toMatchObject({ toolName: 'pay', state: 'approval-requested' });
        await approve(chat);

        expect(chat.error).toBeUndefined();
        expect(nested(chat)).toMatchObject({ state: 'output-available', output: 'paid' });
        expect(JSON.stringify(chat.messages)).toContain('The cashier paid.');
        expect(paid).toEqual([40]);
      },
      { paid, agent },
    );
  });

  it('notifies open pages of runs that start, resume, park and end, and of nothing else', async () => {
    const approvers: Policy = () => ({ roles: ['accounting'], count: 2 });
    await withDesk(approvers, async (desk, handle, paid) => {
      const pages = [await openChanges(handle, 'chat-1'), await openChanges(handle, 'chat-1')];
      const other = await openChanges(handle, 'chat-2');
      for (const page of [...pages, other]) await page.until(1);
      await chatOf(handle, 'ada').sendMessage({ text: 'Pay.' });
      // The run started, and it parked.
      for (const page of pages) await page.until(2);
      const [hold] = (await desk.holds({ states: ['open'] })).items;
      if (hold === undefined) throw new Error('There is no hold.');
      const before = await settledCounts(pages);
      const vote = (id: string) =>
        desk.decide(
          hold.id,
          { kind: 'approve' },
          { by: { id }, roles: ['accounting'], digest: hold.digest },
        );

      await vote('grace');
      const afterVote = await settledCounts(pages);
      await vote('alan');
      await desk.waitFor(hold.runId);
      for (const page of pages) await page.until(1 + (before[0] ?? 0));

      expect(afterVote).toEqual(before);
      expect(paid).toEqual([40]);
      expect(other.count).toBe(1);
      await desk.close();
      for (const page of [...pages, other]) await page.ended;
    });
  });
});

/** A page that is notified of changes. */
class ChangesReader {
  count = 0;
  readonly ended: Promise<void>;

  constructor(body: ReadableStream<Uint8Array>) {
    this.ended = this.#read(body);
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of body) this.count += decoder.decode(chunk).split('data:').length - 1;
  }

  async until(count: number): Promise<void> {
    await expect.poll(() => this.count, { timeout: 10_000 }).toBeGreaterThanOrEqual(count);
  }
}

async function openChanges(handle: ChatHandler, chatId: string): Promise<ChangesReader> {
  const response = await handle(new Request(`http://desk.test/api/chat/${chatId}/changes`));
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  if (response.body === null) throw new Error('The response has no body.');
  return new ChangesReader(response.body);
}

/** Returns the numbers of events after a time in which changes arrive. */
async function settledCounts(pages: readonly ChangesReader[]): Promise<number[]> {
  await new Promise((resolve) => {
    setTimeout(resolve, 300);
  });
  return pages.map(({ count }) => count);
}
