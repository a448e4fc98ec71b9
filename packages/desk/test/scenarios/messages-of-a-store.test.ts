// Errors of the database contain its address and its users. Only operators see them.
import { randomBytes } from 'node:crypto';
import { type Desk, DeskError, openDesk, sqliteStore, type Store } from '@holdpoint/desk';
import { deskChats } from '@holdpoint/desk/chat-ui';
import { mcpServer } from '@holdpoint/desk/mcp';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const ADA = { id: 'ada' };
const SECRET = '10.1.2.3:5432';

const agent = new Agent({
  name: 'clerk',
  model: functionModel(() => calls('pay', { euros: 40 })),
  tools: [
    tool({
      name: 'pay',
      inputSchema: z.object({ euros: z.number() }),
      requiresApproval: true,
      execute: () => 'paid',
    }),
  ],
});

/** A desk whose store cannot be reached while `failure` is set. */
async function openFailing() {
  const state: { failure: DeskError | undefined } = { failure: undefined };
  const opened = await sqliteStore();
  const store: Store = new Proxy(opened, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (name === 'write' && state.failure !== undefined) return Promise.reject(state.failure);
        return value.apply(target, args);
      };
    },
  });
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const desk = openDesk({ store, agents: { clerk: { agent } }, onError });
  return { desk, state, errors };
}

const FAILURES = ['store-unreachable', 'store-busy', 'outcome-unknown', 'tampered'] as const;

describe.each(FAILURES)('the message of `%s`', (code) => {
  const failure = new DeskError(code, `Cannot connect to ${SECRET} as user desk.`);

  it('is no note in a chat', async () => {
    const { desk, state, errors } = await openFailing();
    await using _closed: AsyncDisposable = desk;
    const runId = await desk.start('clerk', 'Pay.', { conversationId: 'c', requester: ADA });
    await desk.work({ runId });
    const backend = deskChats(desk, { agent: 'clerk' });
    const chat = await backend.open({ conversationId: 'c', by: ADA }, undefined);
    const [call] = chat.requests ?? [];
    if (call === undefined) throw new Error('Nothing is pending.');
    state.failure = failure;

    const result = await chat.decide([call.approve()]);

    expect(result).toMatchObject({ kind: 'pending' });
    const notes = 'notes' in result ? [...result.notes.values()] : [];
    expect(notes).toHaveLength(1);
    expect(notes.join()).not.toContain(SECRET);
    expect(errors).toContain(failure);
  });

  it('is no result of an MCP server', async () => {
    const { desk, state, errors } = await openFailing();
    await using _closed: AsyncDisposable = desk;
    const client = await connect(desk);
    state.failure = failure;

    const result = await client.callTool({ name: 'clerk', arguments: { prompt: 'Pay.' } });

    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(errors).toContain(failure);
    await client.close();
  });
});

async function connect(desk: Desk<'clerk'>): Promise<Client> {
  const server = mcpServer(desk, { stateKey: randomBytes(32), waitMs: 1 });
  const handle = server.http({ authorize: () => ({ person: ADA }) });
  const transport = new StreamableHTTPClientTransport(new URL('http://desk.test/mcp'), {
    fetch: (input, init) => handle(new Request(input, init)),
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return client;
}
