import { EventSchemas } from '@ag-ui/core/schemas';
import { HttpAgent } from '@ag-ui/client';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { deskChats } from '@holdpoint/desk/chat-ui';
import { Agent, tool } from 'holdpoint';
import { agUiHandler } from 'holdpoint/ag-ui';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

describe('an AG-UI thread of the desk', () => {
  it('approves a hold, and shows the rest of the run', async () => {
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
    const model = scriptedModel(calls('pay', { euros: 40 }), says('Paid.'));
    const store = await sqliteStore();
    const desk = openDesk({
      store,
      agents: { shop: { agent: new Agent({ model, tools: [pay] }) } },
    });
    const working = desk.startWorker({ pollMs: 20 });
    const handle = agUiHandler({
      backend: deskChats(desk, { agent: 'shop' }),
      authorize: (_, threadId) => ({ conversationId: threadId, by: { id: 'ada' }, roles: [] }),
    });
    const client = new HttpAgent({
      url: 'http://desk.test/agent',
      threadId: 'thread-1',
      fetch: async (url, init) => {
        const response = await handle(new Request(url, init));
        const text = await response.clone().text();
        for (const frame of text.trim().split('\n\n'))
          EventSchemas.parse(JSON.parse(frame.slice(6)));
        return response;
      },
    });
    client.addMessage({ id: 'prompt-1', role: 'user', content: 'Pay.' });

    await client.runAgent();
    const [interrupt] = client.pendingInterrupts;
    expect(interrupt).toMatchObject({ message: 'Pays 40 euros.', reason: 'tool_call' });
    expect(paid).toEqual([]);
    const interruptId = interrupt?.id ?? '';
    await client.runAgent({
      resume: [{ interruptId, status: 'resolved', payload: { approved: true } }],
    });

    expect(paid).toEqual([40]);
    expect(client.messages.map(({ role, content }) => `${role}:${String(content ?? '')}`)).toEqual([
      'user:Pay.',
      'assistant:',
      'tool:paid',
      'assistant:Paid.',
    ]);
    await desk.close();
    await working;
    await store.close();
  });
});
