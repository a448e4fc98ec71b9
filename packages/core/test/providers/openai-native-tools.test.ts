import { describe, expect, it } from 'vitest';
import { says } from '../support/provider-server.ts';
import { openAiSays } from './native-responses.ts';
import { after, MODES, nativeExchange, NOT_STORED } from './native-exchange.ts';

const { ask, server, thereAndBack } = nativeExchange();

describe.each(MODES)('native tools of OpenAI, in a %s', (mode) => {
  it('are offered with their options, and their results are sent back', async () => {
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

  it('send back the results of a search if the provider does not store them', async () => {
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

  it('execute code', async () => {
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

  it('connect to MCP servers', async () => {
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

  it('are left out for a provider that did not execute them', async () => {
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
