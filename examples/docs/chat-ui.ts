// The snippets of docs/chat-ui.md that examples/chat-ui does not contain.
import assert from 'node:assert/strict';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { deskChats } from '@holdpoint/desk/chat-ui';
import { Agent, MemoryLedger, tool } from 'holdpoint';
import { chatHandler, toUiMessages, uiMessageChunks } from 'holdpoint/ai-sdk-ui';
import { sealedRuns } from 'holdpoint/sealed';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const refund = tool({
  name: 'refund',
  inputSchema: z.object({ euros: z.number() }),
  requiresApproval: true,
  execute: ({ euros }) => `${euros} euros refunded`,
});
const ledger = new MemoryLedger();
const agent = new Agent({
  model: scriptedModel(calls('refund', { euros: 40 }), says('Done.'), says('Hello.')),
  tools: [refund],
  durability: { ledger },
});

{
  const SEAL_KEY = new Uint8Array(32).fill(1);
  const userOf = async (_request: Request) => ({ id: 'ada' });
  // #region sealed
  const chat = chatHandler({
    agent,
    async authorize(request, chatId) {
      const user = await userOf(request);
      return { conversationId: `${user.id}/${chatId}` };
    },
    sealed: ({ conversationId }) =>
      sealedRuns({
        keys: { k1: SEAL_KEY },
        audience: conversationId,
        expiresIn: 3_600_000,
        ledger,
      }),
  });
  // #endregion
  const messages = [{ id: 'p', role: 'user', parts: [{ type: 'text', text: 'Refund it.' }] }];
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ id: 'c', messages });
  const response = await chat(new Request('http://localhost/', { method: 'POST', headers, body }));
  const text = await response.text();
  assert.match(text, /tool-approval-request/);
  assert.match(text, /"messageMetadata":\{"holdpoint":"ey/);
}

{
  const types: string[] = [];
  const send = ({ type }: { type: string }) => types.push(type);
  const runId = 'run-1';
  const model = scriptedModel(says('Hello.'));
  // #region chunks
  const stream = agent.stream('Hello.', { model, runId, events: { subAgents: true } });
  for await (const chunk of uiMessageChunks(stream, { messageId: runId })) send(chunk);
  // #endregion
  assert.deepEqual(types, [
    'start',
    'start-step',
    'text-start',
    'text-delta',
    'text-end',
    'finish-step',
    'finish',
  ]);
  const { messages } = await stream.result;
  // #region history
  const shown = toUiMessages(messages);
  // #endregion
  assert.deepEqual(
    shown.map(({ role }) => role),
    ['user', 'assistant'],
  );
}

{
  const model = scriptedModel(says('Hello.'));
  const store = await sqliteStore();
  const desk = openDesk({ store, agents: { support: { agent: new Agent({ model }) } } });
  const working = desk.startWorker({ pollMs: 20 });
  const userOf = async (_request: Request) => ({ id: 'ada' });
  // #region desk
  const chat = chatHandler({
    backend: deskChats(desk, { agent: 'support' }),
    async authorize(request, chatId) {
      const user = await userOf(request);
      return { conversationId: `${user.id}/${chatId}`, by: user };
    },
  });
  // #endregion
  const messages = [{ id: 'p', role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }];
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ id: 'c', messages });
  const response = await chat(new Request('http://localhost/', { method: 'POST', headers, body }));
  assert.match(await response.text(), /"delta":"Hello\."/);
  await desk.close();
  await working;
  await store.close();
}
