// Checks the endpoints with the class that `useChat` uses.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Chat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai';
import { refunds } from './agent.ts';

export async function checkChat(url: string): Promise<void> {
  const chat = new Chat<UIMessage>({
    id: 'check',
    transport: new DefaultChatTransport({ api: `${url}/api/chat` }),
    sendAutomaticallyWhen: (options) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
      lastAssistantMessageIsCompleteWithToolCalls(options),
    onToolCall: ({ toolCall }) => {
      if (toolCall.toolName !== 'get_time_zone') return;
      const { toolCallId } = toolCall;
      void chat.addToolOutput({ tool: 'get_time_zone', toolCallId, output: 'Europe/Paris' });
    },
  });
  const approve = { approved: true };
  await decideRefund(chat, () => approve);
  await decideRefund(chat, () => ({ approved: false }));
  await decideRefund(chat, (id) => {
    return { approved: true, options: { body: { edits: { [id]: { order: '17', euros: 15 } } } } };
  });
  assert.deepEqual(refunds, ['17: 40', '17: 15']);

  await chat.sendMessage({ text: 'What time is it?' });
  await settled(chat);
  assert.match(textOf(chat), /Europe\/Paris/);

  const stored = await fetch(`${url}/api/chat/check`);
  const messages: UIMessage[] = await stored.json();
  assert.deepEqual(
    messages.map(({ id }) => id),
    chat.messages.map(({ id }) => id),
  );
}

interface RefundDecision {
  approved: boolean;
  options?: { body: object };
}

async function decideRefund(
  chat: Chat<UIMessage>,
  decisionOf: (approvalId: string) => RefundDecision,
): Promise<void> {
  await chat.sendMessage({ text: 'Refund my order.' });
  await settled(chat);
  const card = chat.messages.at(-1)?.parts.filter(isToolUIPart).at(-1);
  assert.equal(card?.state, 'approval-requested');
  const { id } = card.approval;
  await chat.addToolApprovalResponse({ id, ...decisionOf(id) });
  await settled(chat);
  assert.equal(chat.error, undefined);
}

async function settled(chat: Chat<UIMessage>): Promise<void> {
  do await sleep(20);
  while (chat.status === 'submitted' || chat.status === 'streaming');
}

function textOf(chat: Chat<UIMessage>): string {
  return JSON.stringify(chat.messages.at(-1)?.parts);
}
