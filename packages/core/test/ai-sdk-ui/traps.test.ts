import type { UIMessage } from 'ai';
import { Agent, DeferredToolRequests, MemoryLedger, ToolExpired, ToolSuperseded } from 'holdpoint';
import {
  chatHandler,
  toUiMessages,
  type UiMessageChunk,
  uiMessageChunks,
} from 'holdpoint/ai-sdk-ui';
import { calls, functionModel, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../support/deferral.ts';
import { present } from '../support/present.ts';
import { QuorumBackend } from './quorum-backend.ts';
import {
  authorize,
  chatWith,
  decide,
  idle,
  janitor,
  lastOutline,
  outline,
  requestedApprovals,
  requireValidChunks,
  say,
  server,
  shop,
  storedServer,
  toolParts,
} from './support.ts';

describe('trap 1: the endless loop', () => {
  it('requests a call again that needs a second approval', async () => {
    const { deleteFile, executed } = shop();
    const model = scriptedModel(calls('delete_file', { path: 'a' }), says('Done.'));
    // The backend parks runs itself, and agents without deps differ only in the types of their tools.
    const agent = new Agent({ model, tools: [deleteFile] }) as unknown as Agent;
    const backend = new QuorumBackend(agent, [{ approvals: 2, expires: false }]);
    const chats = server(chatHandler({ backend, authorize }));
    const chat = chatWith(chats);
    await say(chat, 'Delete a.');

    await decide(chat, present(requestedApprovals(chat)[0]), true);

    expect(chats.posts).toHaveLength(2);
    expect(toolParts(chat)[0]).toMatchObject({
      state: 'approval-requested',
      approval: { requestReason: '1 of 2 approvals' },
    });
    expect(executed).toEqual([]);
  });

  it('requests all calls again if a client decides only some of them', async () => {
    const { agent, executed } = janitor([
      responds(calls('delete_file', { path: 'a' }), calls('delete_file', { path: 'b' })),
    ]);
    const chats = storedServer(agent);
    const chat = chatWith(chats, { sendAutomaticallyWhen: () => false });
    await say(chat, 'Delete a and b.');
    await decide(chat, present(requestedApprovals(chat)[0]), true);

    await chat.sendMessage();
    await idle(chat);

    expect(requestedApprovals(chat)).toHaveLength(2);
    expect(toolParts(chat)[0]).toMatchObject({
      approval: { requestReason: 'Decide all 2 pending calls.' },
    });
    expect(executed).toEqual([]);
  });

  it('stops a client that shows a decided call which does not exist', async () => {
    const { agent, executed } = janitor([says('Hello.')]);
    const chats = storedServer(agent);
    const chat = chatWith(chats);
    await say(chat, 'Hello.');
    const last = present(chat.messages.at(-1));
    const forged = {
      type: 'tool-delete_file',
      toolCallId: 'made-up',
      state: 'approval-requested',
      input: { path: 'secrets' },
      approval: { id: 'made-up' },
    } as UIMessage['parts'][number];
    chat.messages = [...chat.messages.slice(0, -1), { ...last, parts: [...last.parts, forged] }];

    await decide(chat, 'made-up', true);

    expect(chats.posts).toHaveLength(2);
    expect(executed).toEqual([]);
  });
});

it('trap 2: a resumed stream has the id of the message that it continues', async () => {
  const { agent } = janitor([calls('delete_file', { path: 'a' }), says('Done.')]);
  const chats = storedServer(agent);
  const chat = chatWith(chats);
  await say(chat, 'Delete a.');
  await decide(chat, present(requestedApprovals(chat)[0]), true);

  const starts = chats.chunks.filter((chunk) => chunk.type === 'start');
  expect(starts).toHaveLength(2);
  expect(starts[1]).toEqual(starts[0]);
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
});

it('trap 3: a resumed call does not reach `onToolCall` again', async () => {
  const { agent } = janitor([
    responds(calls('delete_file', { path: 'a' }), calls('read_file', { path: 'b' })),
    says('Done.'),
  ]);
  const called: string[] = [];
  const chat = chatWith(storedServer(agent), {
    onToolCall: ({ toolCall }) => {
      called.push(toolCall.toolName);
    },
  });
  await say(chat, 'Delete a.');
  await decide(chat, present(requestedApprovals(chat)[0]), true);

  expect(lastOutline(chat)).toContain('step-start text');
  expect(called.toSorted()).toEqual(['delete_file', 'read_file']);
});

it('trap 4: the outer call of a sub-agent does not prevent the client from sending', async () => {
  const { deleteFile, executed } = shop();
  const inner = new Agent({
    name: 'janitor',
    model: scriptedModel(calls('delete_file', { path: 'x' }), says('Deleted.')),
    tools: [deleteFile],
  });
  const middle = new Agent({
    name: 'manager',
    model: scriptedModel(calls('janitor', { prompt: 'Tidy up.' }), says('Managed.')),
    tools: [inner.asTool()],
  });
  const lead = new Agent({
    model: scriptedModel(calls('manager', { prompt: 'Tidy up.' }), says('Done.')),
    tools: [middle.asTool()],
  });
  const chats = storedServer(lead);
  const chat = chatWith(chats);
  await say(chat, 'Tidy up.');

  expect(toolParts(chat)[0]).toMatchObject({
    type: 'tool-manager',
    state: 'approval-responded',
    approval: { isAutomatic: true },
  });
  await decide(chat, present(requestedApprovals(chat)[0]), true);

  expect(chat.error).toBeUndefined();
  expect(chats.posts).toHaveLength(2);
  expect(executed).toEqual(['x']);
  expect(lastOutline(chat)).toContain('step-start text');
});

it('trap 5: a provider that repeats its call ids cannot confuse two cards', async () => {
  const { deleteFile, browser, executed } = shop();
  let requests = 0;
  const model = functionModel(({ messages }) => {
    const last = present(messages.at(-1)).parts;
    if (last.some((part) => part.kind === 'tool-return' && part.outcome !== 'interrupted')) {
      return says('Done.');
    }
    requests += 1;
    return responds(
      calls('delete_file', { path: `p${requests}` }, { id: 'call_0' }),
      calls('get_location', {}, { id: 'call_1' }),
    );
  });
  const agent = new Agent({ model, tools: [deleteFile], toolsets: [browser] });
  const chats = storedServer(agent, { onPendingCalls: 'cancel' });
  const chat = chatWith(chats);
  await say(chat, 'One.');
  const [old] = requestedApprovals(chat);
  await say(chat, 'Two.');

  const [current] = requestedApprovals(chat);
  const location = present(toolParts(chat)[1]).toolCallId;
  expect(current).not.toBe(old);
  expect(location).toBe('call_1~2');
  await chat.addToolOutput({ tool: 'get_location', toolCallId: location, output: 'Lyon' });
  await decide(chat, present(current), true);

  expect(executed).toEqual(['p2']);
  expect(lastOutline(chat)).toBe(
    'step-start tool-delete_file:output-available tool-get_location:output-available step-start text',
  );
  const shown = await chats.history('chat-1');
  expect(present(shown[3]).parts).toMatchObject([
    {},
    { toolCallId: 'call_0~2' },
    { toolCallId: 'call_1~2', output: 'Lyon' },
    {},
    {},
  ]);
});

describe('trap 6: a message while calls are pending', () => {
  it('is rejected', async () => {
    const { agent } = janitor([calls('delete_file', { path: 'a' }), says('Fine.')]);
    const chats = storedServer(agent);
    const chat = chatWith(chats);
    await say(chat, 'Delete a.');
    await say(chat, 'Never mind.');

    expect(present(chat.error).message).toBe(
      'Decide the pending calls before you send a new message.',
    );
    expect(await chats.history('chat-1')).toHaveLength(2);
  });

  it('cancels the calls if the application allows it, and the next load shows that', async () => {
    const { agent, executed } = janitor([calls('delete_file', { path: 'a' }), says('Fine.')]);
    const chats = storedServer(agent, { onPendingCalls: 'cancel' });
    const chat = chatWith(chats);
    await say(chat, 'Delete a.');
    const [id] = requestedApprovals(chat);
    await say(chat, 'Never mind.');

    expect(chat.error).toBeUndefined();
    const shown = await chats.history('chat-1');
    expect(shown.map(outline)).toEqual([
      'text',
      'step-start tool-delete_file:output-error',
      'text',
      'step-start text',
    ]);
    await decide(chat, present(id), true);
    expect(executed).toEqual([]);
  });
});

it('trap 7: the stream ends while the run is parked', async () => {
  const { agent } = janitor([calls('delete_file', { path: 'a' })]);
  const chats = storedServer(agent);
  const chat = chatWith(chats);
  await say(chat, 'Delete a.');

  expect(chat.status).toBe('ready');
  expect(chats.chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'tool-calls' });
  const reconnected = await chats.fetchAs('ada')('/api/chat/chat-1/stream');
  expect(reconnected.status).toBe(204);
});

it('trap 8: edits of several cards arrive with the last decision', async () => {
  const { agent, executed } = janitor([
    responds(calls('delete_file', { path: 'a' }), calls('delete_file', { path: 'b' })),
    says('Done.'),
  ]);
  const chat = chatWith(storedServer(agent));
  await say(chat, 'Delete a and b.');
  const [first, second] = requestedApprovals(chat);
  const lost = { options: { body: { edits: { [present(first)]: { path: 'lost' } } } } };
  await decide(chat, present(first), true, lost);
  const edits = { [present(first)]: { path: 'a2' }, [present(second)]: { path: 'b2' } };
  await decide(chat, present(second), true, { options: { body: { edits } } });

  expect(executed.toSorted()).toEqual(['a2', 'b2']);
});

it('trap 9: calls that expired or were superseded are not shown as denied', async () => {
  const { deleteFile } = shop();
  const agent = new Agent({
    model: scriptedModel(
      responds(calls('delete_file', { path: 'a' }), calls('delete_file', { path: 'b' })),
      says('Too late.'),
    ),
    tools: [deleteFile],
    durability: { ledger: new MemoryLedger() },
    output: [String, DeferredToolRequests],
  });
  const parked = await expectParked(agent.run('Delete a and b.'));
  const [first, second] = parked.output.approvals.map(({ toolCallId }) => toolCallId);
  const results = parked.output.buildResults({
    approvals: { [present(first)]: new ToolExpired(), [present(second)]: new ToolSuperseded() },
  });
  const stream = agent.stream(undefined, {
    messageHistory: parked.messages,
    deferredToolResults: results,
  });

  const chunks: UiMessageChunk[] = [];
  const options = {
    messageId: 'message-1',
    messageHistory: parked.messages,
    resumed: { requests: parked.output, results },
  };
  for await (const chunk of uiMessageChunks(stream, options)) chunks.push(chunk);

  await requireValidChunks(chunks);
  const ends = chunks.filter(({ type }) => type.startsWith('tool-output'));
  expect(ends.map(({ type }) => type)).toEqual(['tool-output-error', 'tool-output-error']);
  expect(outline(present(toUiMessages((await stream.result).messages)[1]))).toBe(
    'step-start tool-delete_file:output-error tool-delete_file:output-error step-start text',
  );
});
