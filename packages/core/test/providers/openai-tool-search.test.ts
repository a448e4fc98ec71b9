import { describe, expect, it } from 'vitest';
import { toolDefinition } from '../support/model-call.ts';
import { openAiSays } from './native-responses.ts';
import { MODES, nativeExchange, NOT_STORED } from './native-exchange.ts';

const { server, thereAndBack } = nativeExchange();

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

  it('has the form that all providers share, and is sent back unchanged', async () => {
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

  it('is sent back as a reference to the stored item', async () => {
    server.script(openAiSays(mode, ...searched));

    const { sent } = await thereAndBack('openai-responses', mode, offer);

    expect(sent.slice(1, 3)).toEqual([
      { type: 'item_reference', id: 'tsc_1' },
      { type: 'item_reference', id: 'tso_1' },
    ]);
  });
});
