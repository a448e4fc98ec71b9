import { Chat } from '@ai-sdk/react';
import { type Desk, openDesk, sqliteStore } from '@holdpoint/desk';
import { type DeskChatAccess, deskChats } from '@holdpoint/desk/chat-ui';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai';
import { Agent, tool } from 'holdpoint';
import { chatHandler, type ChatHandler } from 'holdpoint/ai-sdk-ui';
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
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
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

function shop() {
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
  const model = scriptedModel(calls('pay', { euros: 40 }), says('Paid.'), says('Hello again.'));
  return { paid, agent: new Agent({ model, tools: [pay] }) };
}

const approve = async (chat: Chat<UIMessage>) => {
  const part = chat.messages
    .at(-1)
    ?.parts.find((one) => 'toolCallId' in one && one.state === 'approval-requested');
  if (part === undefined || !('approval' in part) || part.approval === undefined) {
    throw new Error(`No approval is requested: ${outline(chat)}`);
  }
  await chat.addToolApprovalResponse({ id: part.approval.id, approved: true });
  await idle(chat);
};

/** The same rule for every call. */
type Policy = () => { readonly roles: readonly string[]; readonly count: number };

describe('a chat of the desk', () => {
  async function withDesk(
    approvers: Policy | undefined,
    work: (desk: Desk, handle: ChatHandler, paid: number[]) => Promise<void>,
  ): Promise<void> {
    const { paid, agent } = shop();
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
});
