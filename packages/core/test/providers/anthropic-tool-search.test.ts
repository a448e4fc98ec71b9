import { readFile } from 'node:fs/promises';
import { pydanticMessageCodec } from 'holdpoint/pydantic';
import { describe, expect, it } from 'vitest';
import { toolDefinition } from '../support/model-call.ts';
import { present } from '../support/present.ts';
import { says } from '../support/provider-server.ts';
import { anthropicSays, serverToolResult, serverToolUse, toolsFound } from './native-responses.ts';
import { after, MODES, nativeExchange } from './native-exchange.ts';

const { ask, server, thereAndBack } = nativeExchange();

describe.each(MODES)('the search for tools of Anthropic, in a %s', (mode) => {
  const hidden = Array.from({ length: 1000 }, (_, index) =>
    toolDefinition({ name: `tool_${index}`, deferLoading: true }),
  );
  const offer = {
    functionTools: [toolDefinition(), ...hidden],
    nativeTools: [{ kind: 'tool-search' }],
  } as const;
  const searched = [
    serverToolUse('srv_1', 'tool_search_tool_bm25', { query: 'refund', limit: 5 }),
    toolsFound('srv_1', 'tool_7', 'tool_8'),
  ];

  it('is offered together with a thousand tools that only it finds', async () => {
    server.script(anthropicSays(mode, { type: 'text', text: 'Well.' }));

    await ask('anthropic', mode, offer);

    const tools = server.requests[0]?.body['tools'] as readonly Record<string, unknown>[];
    expect(tools).toHaveLength(1002);
    expect(tools[0]).toEqual({
      type: 'tool_search_tool_bm25_20251119',
      name: 'tool_search_tool_bm25',
    });
    expect(tools[1]).not.toHaveProperty('defer_loading');
    expect(tools.slice(2).every((one) => one['defer_loading'] === true)).toBe(true);
  });

  it('has the form that all providers share, and is sent back unchanged', async () => {
    const input = { city: 'Oslo' };
    const call = { type: 'tool_use', id: 'call_1', name: 'tool_7', input };
    server.script(anthropicSays(mode, ...searched, call), says('Well.'));

    const response = await ask('anthropic', mode, offer);

    expect(response.parts).toMatchObject([
      {
        kind: 'native-tool-call',
        toolName: 'tool_search',
        toolKind: 'tool-search',
        toolCallId: 'srv_1',
        args: { queries: ['refund'] },
        providerName: 'anthropic',
        providerDetails: { strategy: 'bm25' },
      },
      {
        kind: 'native-tool-return',
        toolName: 'tool_search',
        toolKind: 'tool-search',
        toolCallId: 'srv_1',
        content: { discovered_tools: [{ name: 'tool_7' }, { name: 'tool_8' }] },
        outcome: 'success',
      },
      { kind: 'tool-call', toolName: 'tool_7' },
    ]);

    await ask('anthropic', mode, { ...offer, messages: after(response) });
    const sent = server.requests[1]?.body['messages'] as readonly { content: unknown[] }[];
    expect(sent[1]?.content).toEqual([...searched, call]);
  });

  it('reports a failure', async () => {
    const failed = [
      present(searched[0]),
      serverToolResult('srv_1', 'tool_search', {
        type: 'tool_search_tool_result_error',
        error_code: 'too_many_requests',
      }),
    ];
    server.script(anthropicSays(mode, ...failed));

    const { parts, sent } = await thereAndBack('anthropic', mode, offer);

    expect(parts[1]).toMatchObject({
      outcome: 'failed',
      content: { discovered_tools: [], message: 'The search failed.' },
    });
    expect(sent[1]?.content).toEqual(failed);
  });

  it('is sent back if Pydantic AI stored it', async () => {
    const fixture = new URL(
      '../fixtures/interop/fixtures/native_tool_search.json',
      import.meta.url,
    );
    const { messages } = JSON.parse(await readFile(fixture, 'utf8'));
    server.script(says('Well.'));

    await ask('anthropic', mode, { ...offer, messages: pydanticMessageCodec.fromJSON(messages) });

    const sent = server.requests[0]?.body['messages'] as readonly { content: unknown[] }[];
    expect(sent[1]?.content).toEqual([
      { ...searched[0], id: 'ts1', input: { query: 'refund' } },
      toolsFound('ts1', 'refund_order'),
      { type: 'tool_use', id: 'r1', name: 'refund_order', input: { order: 7 } },
    ]);
  });

  it('is readable by Pydantic AI', async () => {
    server.script(anthropicSays(mode, ...searched));
    const response = await ask('anthropic', mode, offer);

    const [message] = pydanticMessageCodec.toJSON([{ kind: 'response', ...response }]);

    expect(message).toMatchObject({
      parts: [
        {
          part_kind: 'builtin-tool-call',
          tool_name: 'tool_search',
          tool_kind: 'tool-search',
          args: { queries: ['refund'] },
          provider_name: 'anthropic',
          provider_details: { strategy: 'bm25' },
        },
        {
          part_kind: 'builtin-tool-return',
          content: { discovered_tools: [{ name: 'tool_7' }, { name: 'tool_8' }] },
        },
      ],
    });
  });

  it('is sent as a function call without native search, and to another provider', async () => {
    server.script(anthropicSays(mode, ...searched, { type: 'text', text: 'Found.' }));
    const response = await ask('anthropic', mode, offer);
    const messages = after(response);
    server.script(says('Well.'), says('Well.'), says('Well.'));

    await ask('anthropic', mode, { messages, functionTools: hidden.slice(0, 10) });
    await ask('openai-responses', mode, { messages });
    await ask('openai-chat', mode, { messages });

    const [, toAnthropic, toOpenAi, toChat] = server.requests.map(({ body }) => body);
    expect(toAnthropic?.['messages']).toMatchObject([
      {},
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'srv_1', name: 'search_tools', input: { queries: ['refund'] } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'srv_1',
            content: '{"discovered_tools":[{"name":"tool_7"},{"name":"tool_8"}]}',
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Found.' }] },
      {},
    ]);
    expect(toOpenAi?.['input']).toMatchObject([
      {},
      { type: 'function_call', call_id: 'srv_1', name: 'search_tools' },
      { type: 'function_call_output', call_id: 'srv_1' },
      { role: 'assistant', content: 'Found.' },
      {},
    ]);
    expect(toChat?.['messages']).toMatchObject([
      {},
      { role: 'assistant', tool_calls: [{ id: 'srv_1' }] },
      { role: 'tool', tool_call_id: 'srv_1' },
      { role: 'assistant', content: 'Found.' },
      {},
    ]);
  });
});
