import { anthropic } from '@ai-sdk/anthropic';
import { Agent, DeferredToolRequests, messageCodec, tool } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fromAiSdkTools } from '../../src/integrations/ai-sdk/index.ts';
import { calls, says } from '../support/provider-server.ts';
import { serverForEachTest } from '../support/server-for-each-test.ts';
import { anthropicSays, type Mode, serverToolUse, toolsFound } from './native-responses.ts';

const server = serverForEachTest();

type RequestMessages = readonly Readonly<Record<string, unknown>>[];
const toolsOf = (request: number) => server.requests[request]?.body['tools'] as RequestMessages;

const ways: readonly (readonly ['run' | 'stream', Mode])[] = [
  ['run', 'request'],
  ['stream', 'stream'],
];

describe.each(ways)(
  'an agent that searches among a thousand tools on Anthropic, with %s',
  (way, mode) => {
    const refunded: number[] = [];
    const hidden = Array.from({ length: 1000 }, (_, index) =>
      tool({ name: `tool_${index}`, deferLoading: true, execute: () => index }),
    );
    const refund = tool({
      name: 'refund_order',
      description: 'Pays an order back.',
      inputSchema: z.object({ order: z.number() }),
      deferLoading: true,
      requiresApproval: true,
      execute: ({ order }) => {
        refunded.push(order);
        return 'refunded';
      },
    });
    const searched = [
      serverToolUse('s1', 'tool_search_tool_bm25', { query: 'refund' }),
      toolsFound('s1', 'refund_order'),
    ];
    const call = { type: 'tool_use', id: 'c1', name: 'refund_order', input: { order: 7 } };

    it('parks on a tool that the provider found, and resumes from JSON', async () => {
      refunded.length = 0;
      const agent = new Agent({
        model: server.model('anthropic'),
        tools: [...hidden, refund],
        output: [String, DeferredToolRequests],
      });
      server.script(anthropicSays(mode, ...searched, call));

      const parked = await (way === 'run'
        ? agent.run('Refund 7.')
        : agent.stream('Refund 7.').result);

      if (parked.status !== 'parked') throw new Error('It did not wait.');
      expect(refunded).toEqual([]);
      expect(toolsOf(0)).toHaveLength(1002);
      expect(toolsOf(0)[0]).toMatchObject({ type: 'tool_search_tool_bm25_20251119' });
      expect(
        toolsOf(0)
          .slice(1)
          .every((one) => one['defer_loading'] === true),
      ).toBe(true);

      server.script(anthropicSays(mode, { type: 'text', text: 'Refunded.' }));
      const messages = messageCodec.parse(messageCodec.stringify(parked.messages));
      const results = parked.output.buildResults({ approveAll: true });
      const done = await (way === 'run'
        ? agent.resume({ messages }, results)
        : agent.stream(undefined, { messageHistory: messages, deferredToolResults: results })
            .result);

      expect(done.output).toBe('Refunded.');
      expect(refunded).toEqual([7]);
      expect(toolsOf(1)).toEqual(toolsOf(0));
      const sent = server.requests[1]?.body['messages'] as readonly { content: unknown }[];
      expect(sent[1]?.content).toEqual([...searched, call]);
      expect(sent[2]?.content).toMatchObject([{ type: 'tool_result', tool_use_id: 'c1' }]);
    });

    it('can continue with a model without a native search', async () => {
      refunded.length = 0;
      const agent = new Agent({
        tools: [...hidden.slice(0, 20), refund],
        output: [String, DeferredToolRequests],
      });
      server.script(
        anthropicSays('request', ...searched, { type: 'text', text: 'Shall I?' }),
        calls('refund_order', { order: 7 }),
      );
      const first = await agent.run('Refund 7?', { model: server.model('anthropic') });

      const options = { model: server.model('openai-chat'), messageHistory: first.messages };
      const second = await (way === 'run'
        ? agent.run('Yes.', options)
        : agent.stream('Yes.', options).result);

      expect(second).toMatchObject({
        status: 'parked',
        output: { approvals: [{ toolName: 'refund_order' }] },
      });
      const offered = toolsOf(1).map((one) => (one['function'] as { name: string }).name);
      expect(offered.toSorted()).toEqual(['refund_order', 'search_tools']);
    });
  },
);

describe('an agent with native tools', () => {
  const search = tool({
    name: 'search_the_web',
    inputSchema: z.object({ query: z.string() }),
    unlessNative: 'web-search',
    execute: ({ query }) => `https://${query}.example`,
  });
  const agent = new Agent({ tools: [search], nativeTools: [{ kind: 'web-search' }] });

  it('leaves the search to the provider that has one', async () => {
    server.script(says('Found.'));

    await agent.run('Search.', { model: server.model('openai-responses') });

    expect(toolsOf(0)).toEqual([{ type: 'web_search' }]);
  });

  it('searches with a function if the provider has no search', async () => {
    server.script(calls('search_the_web', { query: 'bees' }), says('Found.'));

    const { output } = await agent.run('Search.', { model: server.model('openai-chat') });

    expect(output).toBe('Found.');
    expect(toolsOf(0)).toMatchObject([{ function: { name: 'search_the_web' } }]);
  });

  it('resolves the calls to a tool that the provider only describes', async () => {
    const ran: string[] = [];
    const { tools, nativeTools } = fromAiSdkTools({
      bash: anthropic.tools.bash_20250124({
        needsApproval: true,
        execute: ({ command }) => {
          ran.push(command);
          return 'a.txt';
        },
      }),
    });
    const model = server.model('anthropic');
    const shell = new Agent({ model, tools, nativeTools, output: [String, DeferredToolRequests] });
    server.script(calls('bash', { command: 'ls' }), says('One file.'));

    const parked = await shell.run('Which files are there?');

    if (parked.status !== 'parked') throw new Error('It did not wait.');
    expect(toolsOf(0)).toEqual([{ type: 'bash_20250124', name: 'bash' }]);
    expect(ran).toEqual([]);
    await shell.resume(parked, parked.output.buildResults({ approveAll: true }));
    expect(ran).toEqual(['ls']);
  });
});
