import { Agent, MemoryLedger, ToolFailed, tool } from 'holdpoint';
import { calls, responds, says, scriptedModel, thinks } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { latch } from '../support/latch.ts';
import { present } from '../support/present.ts';
import {
  chatWith,
  decide,
  idle,
  janitor,
  lastOutline,
  outline,
  requestedApprovals,
  say,
  shop,
  storedServer,
  toolParts,
} from './support.ts';

describe('a chat of @ai-sdk/react', () => {
  it('approves one call and denies another, in one assistant message', async () => {
    const { agent, executed } = janitor([
      responds(
        calls('delete_file', { path: 'a' }),
        calls('read_file', { path: 'b' }),
        calls('delete_file', { path: 'c' }),
      ),
      says('Done.'),
    ]);
    const server = storedServer(agent);
    const chat = chatWith(server);

    await say(chat, 'Delete a and c.');
    const [first, second] = requestedApprovals(chat);
    expect(toolParts(chat)[0]).toMatchObject({
      state: 'approval-requested',
      input: { path: 'a' },
      approval: {
        requestReason: 'Deletes a',
        descriptor: { kind: 'holdpoint', args: { path: 'a' }, preview: 'Deletes a' },
      },
    });
    await decide(chat, present(first), true);
    expect(server.posts).toHaveLength(1);
    await decide(chat, present(second), false, { reason: 'Keep c.' });

    expect(server.posts).toHaveLength(2);
    expect(chat.messages).toHaveLength(2);
    expect(lastOutline(chat)).toBe(
      'step-start tool-delete_file:output-available tool-read_file:output-available tool-delete_file:output-denied step-start text',
    );
    expect(executed).toEqual(['a']);
  });

  it('supplies the result of a client tool beside an approval', async () => {
    const { agent, executed } = janitor([
      responds(calls('get_location', {}), calls('delete_file', { path: 'a' })),
      says('You are in Lyon.'),
    ]);
    const server = storedServer(agent);
    const called: string[] = [];
    const chat = chatWith(server, {
      onToolCall: ({ toolCall }) => {
        called.push(toolCall.toolName);
        if (toolCall.toolName !== 'get_location') return;
        const { toolCallId } = toolCall;
        void chat.addToolOutput({ tool: 'get_location', toolCallId, output: 'Lyon' });
      },
    });

    await say(chat, 'Where am I? Delete a.');
    await decide(chat, present(requestedApprovals(chat)[0]), true);

    expect(lastOutline(chat)).toBe(
      'step-start tool-get_location:output-available tool-delete_file:output-available step-start text',
    );
    expect(called.toSorted()).toEqual(['delete_file', 'get_location']);
    expect(executed).toEqual(['a']);
    expect(server.posts).toHaveLength(2);
    expect(server.conversations.stored.get('ada/chat-1')).toContain('Lyon');
  });

  it('supplies the result of a client tool alone, or its failure', async () => {
    const { agent } = janitor([calls('get_location', {}), says('No place.')]);
    const server = storedServer(agent);
    const chat = chatWith(server);

    await say(chat, 'Where am I?');
    expect(lastOutline(chat)).toBe('step-start tool-get_location:input-available');
    const { toolCallId } = present(toolParts(chat)[0]);
    await chat.addToolOutput({
      tool: 'get_location',
      toolCallId,
      state: 'output-error',
      errorText: 'The user refused.',
    });
    await idle(chat);

    expect(lastOutline(chat)).toBe('step-start tool-get_location:output-error step-start text');
    expect(server.posts).toHaveLength(2);
    expect(server.conversations.stored.get('ada/chat-1')).toContain('The user refused.');
  });

  it('executes a call with the edited arguments of the approver', async () => {
    const { agent, executed } = janitor([calls('delete_file', { path: 'a' }), says('Done.')]);
    const chat = chatWith(storedServer(agent));

    await say(chat, 'Delete a.');
    const id = present(requestedApprovals(chat)[0]);
    await decide(chat, id, true, { options: { body: { edits: { [id]: { path: 'a2' } } } } });

    expect(executed).toEqual(['a2']);
  });

  it('shows the history after a reload, and continues it', async () => {
    const { agent, executed } = janitor([
      responds(thinks('A file.'), calls('delete_file', { path: 'a' })),
      says('Done.'),
    ]);
    const server = storedServer(agent);
    const first = chatWith(server);
    await say(first, 'Delete a.');

    const messages = await server.history('chat-1');
    expect(messages).toEqual(JSON.parse(JSON.stringify(messages)));
    expect(messages.map(({ id }) => id)).toEqual(first.messages.map(({ id }) => id));
    expect(outline(present(messages[1]))).toBe(
      'step-start reasoning tool-delete_file:approval-requested',
    );
    const second = chatWith(server, { messages });
    await decide(second, present(requestedApprovals(second)[0]), true);

    expect(second.messages).toHaveLength(2);
    expect(lastOutline(second)).toBe(
      'step-start reasoning tool-delete_file:output-available step-start text',
    );
    expect(executed).toEqual(['a']);
    const shown = await server.history('chat-1');
    expect(shown.map(outline)).toEqual(second.messages.map(outline));
  });

  it('reconnects to a response that is being generated', async () => {
    const executing = latch();
    const wait = tool({
      name: 'wait',
      inputSchema: z.object({}),
      requiresApproval: true,
      execute: async () => {
        await executing.opened;
        return 'waited';
      },
    });
    const model = scriptedModel(responds('Wait.', calls('wait', {})), says('Done.'));
    const server = storedServer(new Agent({ model, tools: [wait] }));
    const first = chatWith(server);
    await say(first, 'Wait for it.');
    void first.addToolApprovalResponse({
      id: present(requestedApprovals(first)[0]),
      approved: true,
    });
    while (server.posts.length < 2) await new Promise(setImmediate);

    const second = chatWith(server, { messages: await server.history('chat-1') });
    const resuming = second.resumeStream();
    executing.open();
    await resuming;
    await idle(second);

    expect(second.error).toBeUndefined();
    expect(lastOutline(second)).toBe('step-start text tool-wait:output-available step-start text');
    expect(second.messages.map(({ id }) => id)).toEqual(first.messages.map(({ id }) => id));
    await idle(first);
    const response = await server.fetchAs('ada')('/api/chat/chat-1/stream');
    expect(response.status).toBe(204);
  });

  it('shows the same state in a second tab that decides later', async () => {
    const { agent, executed } = janitor([calls('delete_file', { path: 'a' }), says('Done.')]);
    const server = storedServer(agent);
    const first = chatWith(server);
    await say(first, 'Delete a.');
    const second = chatWith(server, { messages: await server.history('chat-1') });
    await decide(first, present(requestedApprovals(first)[0]), true);

    await decide(second, present(requestedApprovals(second)[0]), false);

    expect(second.error).toBeUndefined();
    expect(lastOutline(second)).toBe(lastOutline(first));
    expect(executed).toEqual(['a']);
    expect(server.posts).toHaveLength(3);
  });

  it('shows the calls of a sub-agent, and settles them before the sub-agent ends', async () => {
    const { executed, deleteFile, readFile } = shop();
    const inner = new Agent({
      name: 'janitor',
      model: scriptedModel(
        calls('read_file', { path: 'list' }),
        calls('delete_file', { path: 'x' }),
        says('Deleted x.'),
      ),
      tools: [deleteFile, readFile],
    });
    const lead = new Agent({
      model: scriptedModel(calls('janitor', { prompt: 'Tidy up.' }), says('All done.')),
      tools: [inner.asTool()],
      durability: { ledger: new MemoryLedger() },
    });
    const server = storedServer(lead);
    const texts: unknown[] = [];
    const chat = chatWith(server, { onData: ({ data }) => texts.push(data) });

    await say(chat, 'Tidy up.');
    expect(lastOutline(chat)).toBe(
      'step-start tool-janitor:approval-responded dynamic-tool:output-available dynamic-tool:approval-requested',
    );
    expect(toolParts(chat).at(-1)).toMatchObject({ toolName: 'delete_file', title: 'janitor' });
    const types = server.chunks.length;
    await decide(chat, present(requestedApprovals(chat)[0]), true);

    expect(chat.error).toBeUndefined();
    expect(lastOutline(chat)).toBe(
      'step-start tool-janitor:output-available dynamic-tool:output-available dynamic-tool:output-available step-start text',
    );
    expect(executed).toEqual(['x']);
    expect(texts).toMatchObject([{ path: ['janitor'], delta: 'Deleted x.' }]);
    const outputs = server.chunks
      .slice(types)
      .filter(({ type }) => type === 'tool-output-available');
    expect(outputs).toMatchObject([{ output: 'deleted x' }, { output: 'Deleted x.' }]);
  });

  it('decides a denied call of a sub-agent, also after a reload', async () => {
    const { executed, deleteFile } = shop();
    const inner = new Agent({
      name: 'janitor',
      model: scriptedModel(calls('delete_file', { path: 'x' }), says('Kept x.')),
      tools: [deleteFile],
    });
    const lead = new Agent({
      model: scriptedModel(calls('janitor', { prompt: 'Tidy up.' }), says('Nothing deleted.')),
      tools: [inner.asTool()],
    });
    const server = storedServer(lead);
    await say(chatWith(server), 'Tidy up.');

    const chat = chatWith(server, { messages: await server.history('chat-1') });
    await decide(chat, present(requestedApprovals(chat)[0]), false);

    expect(chat.error).toBeUndefined();
    expect(lastOutline(chat)).toBe(
      'step-start tool-janitor:output-available dynamic-tool:output-denied step-start text',
    );
    expect(executed).toEqual([]);
  });

  it('ends after a structured output, without sending it again', async () => {
    const weather = z.object({ city: z.string() });
    const agent = new Agent({
      model: scriptedModel(calls('final_result', { city: 'Lyon' })),
      output: weather,
    });
    const server = storedServer(agent);
    const chat = chatWith(server);

    await say(chat, 'Where?');

    expect(lastOutline(chat)).toBe('step-start tool-final_result:output-available');
    expect(server.posts).toHaveLength(1);
  });

  it('shows invalid arguments, failed tools and the decisions of handlers', async () => {
    const fail = tool({
      name: 'fail',
      inputSchema: z.object({}),
      requiresApproval: true,
      execute: () => {
        throw new ToolFailed('The disk is full.');
      },
    });
    const agent = new Agent({
      model: scriptedModel(calls('fail', 'no JSON'), calls('fail', {}), says('It failed.')),
      tools: [fail],
      deferredToolHandler: (requests) => requests.buildResults({ approveAll: true }),
    });
    const server = storedServer(agent);
    const chat = chatWith(server);

    await say(chat, 'Fail.');

    expect(chat.error).toBeUndefined();
    expect(lastOutline(chat)).toBe(
      'step-start tool-fail:output-error step-start tool-fail:output-error step-start text',
    );
    expect(toolParts(chat)[1]).toMatchObject({
      errorText: 'The disk is full.',
      approval: { approved: true, isAutomatic: true },
    });
  });

  it('shows that a run failed, without the reason', async () => {
    const model = scriptedModel(new Error('The password of the database is swordfish.'));
    const errors: unknown[] = [];
    const server = storedServer(new Agent({ model }), { onError: (error) => errors.push(error) });
    const chat = chatWith(server);

    await say(chat, 'Hello.');

    expect(present(chat.error).message).toBe('The run failed.');
    expect(JSON.stringify(server.chunks)).not.toContain('swordfish');
    expect(String(errors)).toContain('swordfish');
    expect(await server.history('chat-1')).toEqual([]);
  });

  it('stores the results of a run that failed later, so that no call executes twice', async () => {
    const { agent, executed } = janitor(
      [calls('delete_file', { path: 'a' }), new Error('overloaded'), says('Again.')],
      { durability: {} },
    );
    const server = storedServer(agent);
    const chat = chatWith(server);
    await say(chat, 'Delete a.');

    await decide(chat, present(requestedApprovals(chat)[0]), true);
    expect(chat.status).toBe('error');
    const again = await server.post({ id: 'chat-1', messages: chat.messages });

    expect(again.status).toBe(200);
    expect(executed).toEqual(['a']);
    const [, message] = await server.history('chat-1');
    expect(outline(present(message))).toBe('step-start tool-delete_file:output-available');
  });
});
