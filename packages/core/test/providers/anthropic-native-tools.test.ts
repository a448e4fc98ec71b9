import { describe, expect, it } from 'vitest';
import { toolDefinition } from '../support/model-call.ts';
import { anthropicSays, serverToolResult, serverToolUse } from './native-responses.ts';
import { MODES, nativeExchange } from './native-exchange.ts';

const { ask, server, thereAndBack } = nativeExchange();

describe.each(MODES)('native tools of Anthropic, in a %s', (mode) => {
  it('are offered with their options, and their results are sent back', async () => {
    const searched = [
      serverToolUse('srv_1', 'web_search', { query: 'bees' }),
      serverToolResult('srv_1', 'web_search', [
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
      ]),
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

  it('execute code, and report failures', async () => {
    const ran = [
      serverToolUse('srv_1', 'bash_code_execution', { command: 'ls' }),
      serverToolResult('srv_1', 'bash_code_execution', {
        type: 'bash_code_execution_result',
        stdout: 'a.txt',
        stderr: '',
        return_code: 0,
        content: [],
      }),
      serverToolUse('srv_2', 'code_execution', { code: '1/0' }),
      serverToolResult('srv_2', 'code_execution', {
        type: 'code_execution_tool_result_error',
        error_code: 'unavailable',
      }),
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
      serverToolUse('srv_1', 'web_fetch', { url: 'https://a.example' }),
      serverToolResult('srv_1', 'web_fetch', {
        type: 'web_fetch_result',
        url: 'https://a.example',
        retrieved_at: '2026-01-01T00:00:00Z',
        content: {
          type: 'document',
          title: 'A',
          source: { type: 'text', media_type: 'text/plain', data: 'Hello' },
        },
      }),
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

  it('connect to MCP servers, in addition to those of the settings', async () => {
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

  it('execute the memory tool as a local function', async () => {
    const input = { command: 'view', path: '/memories' };
    server.script(anthropicSays(mode, { type: 'tool_use', id: 'call_1', name: 'memory', input }));

    const response = await ask('anthropic', mode, {
      functionTools: [toolDefinition({ name: 'memory' }), toolDefinition()],
      nativeTools: [{ kind: 'memory' }],
    });

    expect(server.requests[0]?.body['tools']).toMatchObject([
      { type: 'memory_20250818', name: 'memory' },
      { name: 'weather' },
    ]);
    expect(response.parts).toMatchObject([
      { kind: 'tool-call', toolName: 'memory', args: JSON.stringify(input) },
    ]);
  });

  it('are passed as the AI SDK defines them if there is no kind for them', async () => {
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
