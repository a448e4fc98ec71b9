import { Agent, type AgentEvent, ExternalToolset, MemoryLedger } from 'holdpoint';
import { type AgUiEvent, agUiEvents, agUiSnapshot } from 'holdpoint/ag-ui';
import { calls, responds, says, scriptedModel, thinks } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { janitor } from '../ai-sdk-ui/support.ts';
import { current, outline, say, storedThreads, versions } from './support.ts';

const run = { threadId: 'thread-1', runId: 'run-1', protocolVersion: '1.0' };

async function* listed(events: readonly object[]): AsyncGenerator<AgentEvent> {
  // The tests list the events that they are about, in the order of a run.
  yield* events as AgentEvent[];
}

async function eventsOf(events: AsyncIterable<AgentEvent>, options: object = {}) {
  const emitted: AgUiEvent[] = [];
  for await (const event of agUiEvents(events, { ...run, ...options })) {
    current.schema.parse(event);
    emitted.push(event);
  }
  return emitted;
}

describe('agUiSnapshot', () => {
  it.each(versions)('equals the messages that the events made in client %s', async (_, version) => {
    const { agent } = janitor([
      responds(thinks('Think.'), says('Reading.'), calls('read_file', { path: 'c' })),
      responds(says('Deleting.'), calls('delete_file', { path: 'a' })),
    ]);
    const server = storedThreads(agent, {}, version);
    const client = server.client();
    await say(client, 'Read c, delete a.');

    const snapshot = await (await server.snapshot()).json();

    const shown = client.messages.map(({ id, role, content, toolCalls }) => ({
      id,
      role,
      content,
      ...(toolCalls && { toolCalls }),
    }));
    expect(snapshot.messages).toMatchObject(shown);
    expect(snapshot.interrupts).toMatchObject([{ message: 'Deletes a' }]);
  });

  it('shows the pending call of a sub-agent, and files of prompts', async () => {
    const { agent: helper } = janitor([calls('delete_file', { path: 'x' })]);
    const lead = new Agent({
      name: 'lead',
      model: scriptedModel(calls('ask_helper', { prompt: 'Tidy up.' })),
      tools: [helper.asTool({ name: 'ask_helper' })],
      durability: { ledger: new MemoryLedger(), mayPark: true },
    });
    const image = { kind: 'binary', data: 'aGk=', mediaType: 'image/png' } as const;
    const { messages } = await lead.run(['Tidy up.', image]);

    const snapshot = agUiSnapshot(messages);

    expect(outline(snapshot).slice(1)).toEqual(['assistant:ask_helper', 'assistant:delete_file']);
    expect(snapshot.messages[0]).toMatchObject({
      content: [
        { type: 'text', text: 'Tidy up.' },
        { type: 'image', source: { type: 'data', value: 'aGk=', mimeType: 'image/png' } },
      ],
    });
    for (const [, { schema }] of versions) {
      schema.parse({ type: 'MESSAGES_SNAPSHOT', messages: snapshot.messages });
    }
  });
});

describe('agUiEvents', () => {
  it('gives calls unique ids if a provider repeats its ids', async () => {
    const browser = new ExternalToolset([{ name: 'get_location' }]);
    const script = [
      responds({ kind: 'tool-call', toolName: 'get_location', toolCallId: '1', args: {} }),
      says('There.'),
      responds({ kind: 'tool-call', toolName: 'get_location', toolCallId: '1', args: {} }),
    ];
    const agent = new Agent({
      name: 'guide',
      model: scriptedModel(...script),
      toolsets: [browser],
      durability: { mayPark: true },
    });
    const server = storedThreads(agent);
    const client = server.client();
    await say(client, 'Where am I?');
    client.addMessage({ id: 'r1', role: 'tool', toolCallId: '1', content: 'Paris' });
    await client.runAgent();

    await say(client, 'And now?');

    const ids = client.messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
    expect(ids).toEqual(['1', '1~2']);
    expect(server.events.at(-1)).toMatchObject({ outcome: { pendingToolCallIds: ['1~2'] } });
  });

  it('ends the parts of a response that broke off, and starts a new message', async () => {
    const start = { kind: 'response-start', runId: 'r', runStep: 1 };
    const call = { kind: 'tool-call', toolName: 'pay', toolCallId: 'c', args: '' };
    const emitted = await eventsOf(
      listed([
        start,
        { kind: 'part-start', index: 0, part: { kind: 'text', content: '' } },
        { kind: 'text-delta', index: 0, text: 'Half' },
        { kind: 'part-start', index: 1, part: call },
        { kind: 'args-delta', index: 1, text: '{"eu' },
        start,
        { kind: 'part-start', index: 0, part: { kind: 'text', content: '' } },
        { kind: 'text-delta', index: 0, text: 'Whole' },
        { kind: 'part-end', index: 0, part: { kind: 'text', content: 'Whole' } },
      ]),
    );

    expect(emitted).toMatchObject([
      { type: 'RUN_STARTED' },
      { type: 'TEXT_MESSAGE_START', messageId: 'r.1' },
      { type: 'TEXT_MESSAGE_CONTENT', delta: 'Half' },
      { type: 'TOOL_CALL_START', toolCallId: 'c', parentMessageId: 'r.1' },
      { type: 'TOOL_CALL_ARGS' },
      { type: 'TEXT_MESSAGE_END', messageId: 'r.1' },
      { type: 'TOOL_CALL_END', toolCallId: 'c' },
      { type: 'TOOL_CALL_RESULT', content: expect.stringContaining('broke off') },
      { type: 'TEXT_MESSAGE_START', messageId: 'r.1~2' },
      { type: 'TEXT_MESSAGE_CONTENT', delta: 'Whole' },
      { type: 'TEXT_MESSAGE_END', messageId: 'r.1~2' },
    ]);
  });

  it('hides the error of a run unless the application shows it', async () => {
    async function* failing(): AsyncGenerator<AgentEvent> {
      yield { kind: 'response-start', runId: 'r', runStep: 1 };
      throw new Error('secret');
    }

    expect((await eventsOf(failing())).at(-1)).toEqual({
      type: 'RUN_ERROR',
      message: 'The run failed.',
    });
    const errorText = (error: unknown) => String(error);
    expect((await eventsOf(failing(), { errorText })).at(-1)).toMatchObject({
      message: 'Error: secret',
    });
  });

  it('rejects unknown options', async () => {
    const events = agUiEvents(listed([]), { ...run, thread: 'x' } as never);

    await expect(events.next()).rejects.toThrow('`thread`');
  });
});
