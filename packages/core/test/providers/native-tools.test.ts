import { readFile } from 'node:fs/promises';
import { dumpMessages, loadMessages } from 'holdpoint';
import { messagesFromPydantic, messagesToPydantic } from 'holdpoint/pydantic';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../src/messages/message.ts';
import { aiSdkModel } from '../../src/models/ai-sdk/ai-sdk-model.ts';
import type { ModelCall, ModelReply } from '../../src/models/model.ts';
import { streamOf } from '../../src/models/reply-events.ts';
import { collectReply, modelCall, toolDefinition, userRequest } from '../support/model-call.ts';
import {
  type ProviderName,
  type ProviderServer,
  says,
  startProviderServer,
} from '../support/provider-server.ts';
import { anthropicSays, type Mode, openAiSays } from './native-answers.ts';

const MODES: readonly Mode[] = ['request', 'stream'];
const NOT_STORED = { settings: { providerOptions: { openai: { store: false } } } };

let server: ProviderServer;
beforeEach(async () => {
  server = await startProviderServer();
});
afterEach(() => server[Symbol.asyncDispose]());

function ask(provider: ProviderName, mode: Mode, call: Partial<ModelCall>): Promise<ModelReply> {
  const model = aiSdkModel(server.model(provider));
  return mode === 'request'
    ? model.request(modelCall(call))
    : collectReply(streamOf(model, modelCall(call)));
}

/** The conversation after an answer, as it comes out of a store. */
function after(reply: ModelReply): readonly Message[] {
  const messages: Message[] = [
    userRequest('Hello'),
    { kind: 'response', ...reply },
    userRequest('And now?'),
  ];
  return loadMessages(JSON.parse(JSON.stringify(dumpMessages(messages))));
}

/** Asks, then sends the stored answer back; gives the answer and what was sent the second time. */
async function thereAndBack(provider: ProviderName, mode: Mode, call: Partial<ModelCall>) {
  server.script(says('Well.'));
  const reply = await ask(provider, mode, call);
  await ask(provider, mode, { ...call, messages: after(reply) });
  const field = provider === 'anthropic' ? 'messages' : 'input';
  const sent = server.requests[1]?.body[field] as readonly { readonly content?: unknown }[];
  return { parts: reply.parts, sent, tools: server.requests[0]?.body['tools'] };
}

describe.each(MODES)('native tools of Anthropic, in a %s', (mode) => {
  it('are offered with their options, and what they found goes back', async () => {
    const searched = [
      { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'bees' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srv_1',
        content: [
          {
            type: 'web_search_result',
            url: 'https://bees.example',
            title: 'Bees',
            page_age: null,
            encrypted_content: 'sealed',
          },
          {
            type: 'web_search_result',
            url: 'https://bees.example/untitled',
            title: null,
            page_age: '2 days',
            encrypted_content: 'sealed too',
          },
        ],
      },
    ];
    server.script(anthropicSays(mode, ...searched, { type: 'text', text: 'They fly.' }));

    const { parts, sent, tools } = await thereAndBack('anthropic', mode, {
      functionTools: [toolDefinition()],
      nativeTools: [
        {
          kind: 'web-search',
          maxUses: 3,
          allowedDomains: ['bees.example'],
          userLocation: { city: 'Oslo', country: 'NO' },
          contextSize: 'high',
        },
      ],
    });

    expect(tools).toMatchObject([
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 3,
        allowed_domains: ['bees.example'],
        user_location: { type: 'approximate', city: 'Oslo', country: 'NO' },
      },
      { name: 'weather' },
    ]);
    expect(parts).toMatchObject([
      { kind: 'native-tool-call', toolName: 'web_search', args: '{"query":"bees"}' },
      {
        kind: 'native-tool-return',
        toolName: 'web_search',
        toolCallId: 'srv_1',
        outcome: 'success',
        content: [{ url: 'https://bees.example', encryptedContent: 'sealed' }, {}],
      },
      { kind: 'text', content: 'They fly.' },
    ]);
    expect(sent[1]?.content).toEqual([...searched, { type: 'text', text: 'They fly.' }]);
  });

  it('run code, and tell when it failed', async () => {
    const ran = [
      {
        type: 'server_tool_use',
        id: 'srv_1',
        name: 'bash_code_execution',
        input: { command: 'ls' },
      },
      {
        type: 'bash_code_execution_tool_result',
        tool_use_id: 'srv_1',
        content: {
          type: 'bash_code_execution_result',
          stdout: 'a.txt',
          stderr: '',
          return_code: 0,
          content: [],
        },
      },
      { type: 'server_tool_use', id: 'srv_2', name: 'code_execution', input: { code: '1/0' } },
      {
        type: 'code_execution_tool_result',
        tool_use_id: 'srv_2',
        content: { type: 'code_execution_tool_result_error', error_code: 'unavailable' },
      },
    ];
    server.script(anthropicSays(mode, ...ran));

    const { parts, sent, tools } = await thereAndBack('anthropic', mode, {
      nativeTools: [{ kind: 'code-execution' }],
    });

    expect(tools).toEqual([{ type: 'code_execution_20250825', name: 'code_execution' }]);
    expect(parts).toMatchObject([
      { kind: 'native-tool-call', toolName: 'code_execution', toolCallId: 'srv_1' },
      { kind: 'native-tool-return', toolCallId: 'srv_1', content: { stdout: 'a.txt' } },
      { kind: 'native-tool-call', toolCallId: 'srv_2' },
      { kind: 'native-tool-return', toolCallId: 'srv_2', outcome: 'failed' },
    ]);
    expect(sent[1]?.content).toEqual(ran);
  });

  it('fetch pages', async () => {
    const fetched = [
      {
        type: 'server_tool_use',
        id: 'srv_1',
        name: 'web_fetch',
        input: { url: 'https://a.example' },
      },
      {
        type: 'web_fetch_tool_result',
        tool_use_id: 'srv_1',
        content: {
          type: 'web_fetch_result',
          url: 'https://a.example',
          retrieved_at: '2026-01-01T00:00:00Z',
          content: {
            type: 'document',
            title: 'A',
            source: { type: 'text', media_type: 'text/plain', data: 'Hello' },
          },
        },
      },
    ];
    server.script(anthropicSays(mode, ...fetched));

    const { sent, tools } = await thereAndBack('anthropic', mode, {
      nativeTools: [{ kind: 'web-fetch', blockedDomains: ['b.example'], maxUses: 1 }],
    });

    expect(tools).toEqual([
      {
        type: 'web_fetch_20250910',
        name: 'web_fetch',
        max_uses: 1,
        blocked_domains: ['b.example'],
      },
    ]);
    expect(sent[1]?.content).toEqual(fetched);
  });

  it('talk to MCP servers, beside those of the settings', async () => {
    const called = [
      {
        type: 'mcp_tool_use',
        id: 'mcp_1',
        name: 'ask',
        server_name: 'wiki',
        input: { question: 'Why?' },
      },
      {
        type: 'mcp_tool_result',
        tool_use_id: 'mcp_1',
        is_error: false,
        content: [{ type: 'text', text: 'Because.' }],
      },
    ];
    server.script(anthropicSays(mode, ...called));
    const known = { type: 'url', name: 'own', url: 'https://own.example/mcp' };

    const { parts, sent } = await thereAndBack('anthropic', mode, {
      settings: { providerOptions: { anthropic: { mcpServers: [known] } } },
      nativeTools: [
        {
          kind: 'mcp-server',
          id: 'wiki',
          url: 'https://wiki.example/mcp',
          authorizationToken: 'token',
          allowedTools: ['ask'],
        },
      ],
    });

    expect(server.requests[0]?.body['mcp_servers']).toEqual([
      known,
      {
        type: 'url',
        name: 'wiki',
        url: 'https://wiki.example/mcp',
        authorization_token: 'token',
        tool_configuration: { enabled: true, allowed_tools: ['ask'] },
      },
    ]);
    expect(server.requests[0]?.body['tools']).toBeUndefined();
    expect(parts).toMatchObject([
      { kind: 'native-tool-call', toolName: 'ask' },
      { kind: 'native-tool-return', toolName: 'ask', content: [{ text: 'Because.' }] },
    ]);
    expect(sent[1]?.content).toEqual(called);
  });

  it('leave the memory to a function of ours', async () => {
    const input = { command: 'view', path: '/memories' };
    server.script(anthropicSays(mode, { type: 'tool_use', id: 'call_1', name: 'memory', input }));

    const reply = await ask('anthropic', mode, {
      functionTools: [toolDefinition({ name: 'memory' }), toolDefinition()],
      nativeTools: [{ kind: 'memory' }],
    });

    expect(server.requests[0]?.body['tools']).toMatchObject([
      { type: 'memory_20250818', name: 'memory' },
      { name: 'weather' },
    ]);
    expect(reply.parts).toMatchObject([
      { kind: 'tool-call', toolName: 'memory', args: JSON.stringify(input) },
    ]);
  });

  it('are given as the AI SDK has them where there is no kind for them', async () => {
    server.script(anthropicSays(mode, { type: 'text', text: 'Well.' }));

    await ask('anthropic', mode, {
      nativeTools: [
        {
          kind: 'provider',
          id: 'anthropic.web_search_20260318',
          name: 'web_search',
          args: { maxUses: 1, responseInclusion: 'excluded' },
        },
      ],
    });

    expect(server.requests[0]?.body['tools']).toEqual([
      {
        type: 'web_search_20260318',
        name: 'web_search',
        max_uses: 1,
        response_inclusion: 'excluded',
      },
    ]);
  });
});

describe.each(MODES)('the search for tools of Anthropic, in a %s', (mode) => {
  const hidden = Array.from({ length: 1000 }, (_, index) =>
    toolDefinition({ name: `tool_${index}`, deferLoading: true }),
  );
  const offer = {
    functionTools: [toolDefinition(), ...hidden],
    nativeTools: [{ kind: 'tool-search' }],
  } as const;
  const searched = [
    {
      type: 'server_tool_use',
      id: 'srv_1',
      name: 'tool_search_tool_bm25',
      input: { query: 'refund', limit: 5 },
    },
    {
      type: 'tool_search_tool_result',
      tool_use_id: 'srv_1',
      content: {
        type: 'tool_search_tool_search_result',
        tool_references: [
          { type: 'tool_reference', tool_name: 'tool_7' },
          { type: 'tool_reference', tool_name: 'tool_8' },
        ],
      },
    },
  ];

  it('is offered beside a thousand tools that only it finds', async () => {
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

  it('is told in the form that all providers share, and goes back as it came', async () => {
    const input = { city: 'Oslo' };
    const call = { type: 'tool_use', id: 'call_1', name: 'tool_7', input };
    server.script(anthropicSays(mode, ...searched, call), says('Well.'));

    const reply = await ask('anthropic', mode, offer);

    expect(reply.parts).toMatchObject([
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

    await ask('anthropic', mode, { ...offer, messages: after(reply) });
    const sent = server.requests[1]?.body['messages'] as readonly { content: unknown[] }[];
    expect(sent[1]?.content).toEqual([...searched, call]);
  });

  it('says so when it failed', async () => {
    const failed = [
      searched[0]!,
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'srv_1',
        content: { type: 'tool_search_tool_result_error', error_code: 'too_many_requests' },
      },
    ];
    server.script(anthropicSays(mode, ...failed));

    const { parts, sent } = await thereAndBack('anthropic', mode, offer);

    expect(parts[1]).toMatchObject({
      outcome: 'failed',
      content: { discovered_tools: [], message: 'The search failed.' },
    });
    expect(sent[1]?.content).toEqual(failed);
  });

  it('goes back where Pydantic AI has stored it', async () => {
    const fixture = new URL(
      '../fixtures/interop/fixtures/native_tool_search.json',
      import.meta.url,
    );
    const { messages } = JSON.parse(await readFile(fixture, 'utf8'));
    server.script(says('Well.'));

    await ask('anthropic', mode, { ...offer, messages: messagesFromPydantic(messages) });

    const sent = server.requests[0]?.body['messages'] as readonly { content: unknown[] }[];
    expect(sent[1]?.content).toEqual([
      { ...searched[0], id: 'ts1', input: { query: 'refund' } },
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'ts1',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'refund_order' }],
        },
      },
      { type: 'tool_use', id: 'r1', name: 'refund_order', input: { order: 7 } },
    ]);
  });

  it('can be read by Pydantic AI', async () => {
    server.script(anthropicSays(mode, ...searched));
    const reply = await ask('anthropic', mode, offer);

    const [message] = messagesToPydantic([{ kind: 'response', ...reply }]);

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

  it('is a function where this call does not search, and for another provider', async () => {
    server.script(anthropicSays(mode, ...searched, { type: 'text', text: 'Found.' }));
    const reply = await ask('anthropic', mode, offer);
    const messages = after(reply);
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

describe.each(MODES)('native tools of OpenAI, in a %s', (mode) => {
  it('are offered with their options, and what they found goes back', async () => {
    const searched = {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: {
        type: 'search',
        query: 'bees',
        sources: [{ type: 'url', url: 'https://bees.example' }],
      },
    };
    server.script(openAiSays(mode, searched));

    const { parts, sent, tools } = await thereAndBack('openai-responses', mode, {
      nativeTools: [
        {
          kind: 'web-search',
          contextSize: 'low',
          allowedDomains: ['bees.example'],
          blockedDomains: ['wasps.example'],
          userLocation: { city: 'Oslo' },
        },
      ],
    });

    expect(tools).toEqual([
      {
        type: 'web_search',
        search_context_size: 'low',
        filters: { allowed_domains: ['bees.example'], blocked_domains: ['wasps.example'] },
        user_location: { type: 'approximate', city: 'Oslo' },
      },
    ]);
    expect(parts).toMatchObject([
      { kind: 'native-tool-call', toolName: 'web_search', toolCallId: 'ws_1' },
      { kind: 'native-tool-return', content: { action: { type: 'search', query: 'bees' } } },
    ]);
    expect(sent[1]).toEqual({ type: 'item_reference', id: 'ws_1' });
  });

  it('send back what a search found where the provider does not store it', async () => {
    server.script(
      openAiSays(mode, {
        type: 'web_search_call',
        id: 'ws_1',
        status: 'completed',
        action: { type: 'search', queries: ['bees'] },
      }),
    );

    const { sent } = await thereAndBack('openai-responses', mode, {
      ...NOT_STORED,
      nativeTools: [{ kind: 'web-search' }],
    });

    expect(sent[1]).toMatchObject({
      type: 'web_search_call',
      id: 'ws_1',
      action: { type: 'search', queries: ['bees'] },
    });
  });

  it('run code', async () => {
    server.script(
      openAiSays(mode, {
        type: 'code_interpreter_call',
        id: 'ci_1',
        status: 'completed',
        code: 'print("hi")',
        container_id: 'cntr_1',
        outputs: [{ type: 'logs', logs: 'hi' }],
      }),
    );

    const { parts, sent, tools } = await thereAndBack('openai-responses', mode, {
      nativeTools: [{ kind: 'code-execution' }],
    });

    expect(tools).toEqual([{ type: 'code_interpreter', container: { type: 'auto' } }]);
    const [call, result] = parts;
    expect(call).toMatchObject({ kind: 'native-tool-call', toolName: 'code_execution' });
    expect(JSON.parse(call?.kind === 'native-tool-call' ? String(call.args) : '')).toEqual({
      code: 'print("hi")',
      containerId: 'cntr_1',
    });
    expect(result).toMatchObject({ content: { outputs: [{ type: 'logs', logs: 'hi' }] } });
    expect(sent[1]).toEqual({ type: 'item_reference', id: 'ci_1' });
  });

  it('draw images and search files', async () => {
    server.script(
      openAiSays(
        mode,
        { type: 'image_generation_call', id: 'ig_1', result: 'AAAA' },
        { type: 'file_search_call', id: 'fs_1', queries: ['bees'], results: null },
      ),
    );

    const { parts, sent, tools } = await thereAndBack('openai-responses', mode, {
      nativeTools: [
        { kind: 'image-generation', quality: 'low', size: '1024x1024', outputFormat: 'webp' },
        { kind: 'file-search', storeIds: ['vs_1'], maxResults: 4 },
      ],
    });

    expect(tools).toEqual([
      { type: 'image_generation', quality: 'low', size: '1024x1024', output_format: 'webp' },
      { type: 'file_search', vector_store_ids: ['vs_1'], max_num_results: 4 },
    ]);
    expect(parts).toMatchObject([
      { toolName: 'image_generation' },
      { toolName: 'image_generation', content: { result: 'AAAA' } },
      { toolName: 'file_search' },
      { toolName: 'file_search', content: { queries: ['bees'], results: null } },
    ]);
    expect(sent.slice(1, 3)).toEqual([
      { type: 'item_reference', id: 'ig_1' },
      { type: 'item_reference', id: 'fs_1' },
    ]);
  });

  it('talk to MCP servers', async () => {
    server.script(
      openAiSays(mode, {
        type: 'mcp_call',
        id: 'mcp_1',
        status: 'completed',
        name: 'ask',
        server_label: 'wiki',
        arguments: '{"question":"Why?"}',
        output: 'Because.',
      }),
    );

    const { parts, sent, tools } = await thereAndBack('openai-responses', mode, {
      nativeTools: [
        {
          kind: 'mcp-server',
          id: 'wiki',
          url: 'https://wiki.example/mcp',
          description: 'Knows things.',
          authorizationToken: 'token',
          headers: { 'x-team': 'a' },
          allowedTools: ['ask'],
        },
      ],
    });

    expect(tools).toEqual([
      {
        type: 'mcp',
        server_label: 'wiki',
        server_url: 'https://wiki.example/mcp',
        server_description: 'Knows things.',
        authorization: 'token',
        headers: { 'x-team': 'a' },
        allowed_tools: ['ask'],
        require_approval: 'never',
      },
    ]);
    expect(parts).toMatchObject([
      { kind: 'native-tool-call', toolName: 'mcp.ask', args: '{"question":"Why?"}' },
      { kind: 'native-tool-return', content: { output: 'Because.' } },
    ]);
    expect(sent[1]).toEqual({ type: 'item_reference', id: 'mcp_1' });
  });

  it('are left out for a provider that did not run them', async () => {
    const action = { type: 'search', query: 'bees' };
    const searched = { type: 'web_search_call', id: 'ws_1', status: 'completed', action };
    const said = { type: 'output_text', text: 'They fly.', annotations: [] };
    const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [said] };
    server.script(openAiSays('request', searched, message), says('Well.'), says('Well.'));
    const nativeTools = [{ kind: 'web-search' }] as const;
    const messages = after(await ask('openai-responses', 'request', { nativeTools }));

    await ask('anthropic', mode, { messages, nativeTools });
    await ask('openai-chat', mode, { messages });

    const [, toAnthropic, toChat] = server.requests.map(({ body }) => body);
    expect(toAnthropic?.['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'text', text: 'They fly.' }] },
      { role: 'user' },
    ]);
    expect(toChat?.['messages']).toEqual([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'They fly.' },
      { role: 'user', content: 'And now?' },
    ]);
  });
});

describe('native tools that Pydantic AI has stored', () => {
  it('are left out: it keeps what providers say in another form', async () => {
    const fixture = new URL('../fixtures/interop/fixtures/native_tools.json', import.meta.url);
    const { messages } = JSON.parse(await readFile(fixture, 'utf8'));
    server.script(says('Well.'), says('Well.'));
    const call = { messages: messagesFromPydantic(messages).slice(0, 2) };

    await ask('anthropic', 'request', call);
    await ask('openai-responses', 'request', call);

    const [toAnthropic, toOpenAi] = server.requests.map(({ body }) => JSON.stringify(body));
    for (const sent of [toAnthropic, toOpenAi]) {
      expect(sent).toContain('Found.');
      expect(sent).not.toContain('ws_1');
      expect(sent).not.toContain('ce_1');
    }
  });
});

describe.each(MODES)('the search for tools of OpenAI, in a %s', (mode) => {
  const found = {
    type: 'function',
    name: 'refund',
    description: 'Pays back.',
    defer_loading: true,
    parameters: { type: 'object', properties: {} },
    strict: false,
  };
  const searched = [
    {
      type: 'tool_search_call',
      id: 'tsc_1',
      call_id: null,
      execution: 'server',
      status: 'completed',
      arguments: { paths: ['refund'] },
    },
    {
      type: 'tool_search_output',
      id: 'tso_1',
      call_id: null,
      execution: 'server',
      status: 'completed',
      tools: [
        found,
        { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'look' }] },
      ],
    },
  ];
  const offer = {
    functionTools: [toolDefinition(), toolDefinition({ name: 'refund', deferLoading: true })],
    nativeTools: [{ kind: 'tool-search' }],
  } as const;

  it('is told in the form that all providers share, and goes back as it came', async () => {
    server.script(openAiSays(mode, ...searched));

    const { parts, sent, tools } = await thereAndBack('openai-responses', mode, {
      ...offer,
      ...NOT_STORED,
    });

    expect(tools).toMatchObject([
      { type: 'tool_search' },
      { type: 'function', name: 'weather' },
      { type: 'function', name: 'refund', defer_loading: true },
    ]);
    expect(parts).toMatchObject([
      {
        kind: 'native-tool-call',
        toolName: 'tool_search',
        toolKind: 'tool-search',
        toolCallId: 'tsc_1',
        args: { queries: ['refund'] },
        providerName: 'openai',
      },
      {
        kind: 'native-tool-return',
        toolKind: 'tool-search',
        toolCallId: 'tsc_1',
        content: { discovered_tools: [{ name: 'refund' }, { name: 'look' }] },
      },
    ]);
    expect(sent.slice(1, 3)).toEqual(searched);
  });

  it('goes back as a reference to what the provider has stored', async () => {
    server.script(openAiSays(mode, ...searched));

    const { sent } = await thereAndBack('openai-responses', mode, offer);

    expect(sent.slice(1, 3)).toEqual([
      { type: 'item_reference', id: 'tsc_1' },
      { type: 'item_reference', id: 'tso_1' },
    ]);
  });
});
