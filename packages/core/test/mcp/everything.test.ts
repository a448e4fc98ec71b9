import type { JsonValue } from 'holdpoint';
import {
  mcpHttp,
  type McpProgress,
  type McpConnectionOptions,
  type McpToolset,
} from 'holdpoint/mcp';
import { calls, responds, says } from 'holdpoint/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partsOf } from '../support/conversation.ts';
import { agentWith, failureOf, offeredBy, resultsOf, retriesIn } from './support/agents.ts';
import { type EverythingOverHttp, everythingOverHttp } from './support/http-servers.ts';
import { runningServers } from './support/processes.ts';
import { everything } from './support/stdio-servers.ts';

let http: EverythingOverHttp;

beforeAll(async () => {
  http = await everythingOverHttp();
});

afterAll(() => http?.[Symbol.asyncDispose]());

type Connect = (options?: Partial<McpConnectionOptions>) => McpToolset;

describe.each<[string, Connect]>([
  ['stdio', (options) => everything({ trustReadOnlyHints: true, ...options })],
  [
    'streamable HTTP',
    (options) => mcpHttp({ id: 'everything', url: http.url, trustReadOnlyHints: true, ...options }),
  ],
])('a real server over %s', (_way, connect) => {
  it('lists its tools with their descriptions', async () => {
    const toolset = connect();

    const offered = await offeredBy(toolset.includeReturnSchemas());

    expect([...offered.keys()]).toEqual(
      expect.arrayContaining(['echo', 'get-sum', 'get-structured-content', 'get-tiny-image']),
    );
    expect(offered.get('get-structured-content')).toMatchObject({
      description: expect.stringContaining('structured content'),
      kind: 'function',
      parametersJsonSchema: { type: 'object', required: ['location'] },
      returnSchema: { type: 'object', properties: { temperature: { type: 'number' } } },
      version: expect.stringMatching(/^mcp-[\da-f]{40}$/),
      metadata: {
        mcp: {
          server: { id: 'everything', name: 'mcp-servers/everything', version: '2.0.0' },
          title: 'Get Structured Content Tool',
          annotations: { readOnlyHint: true, destructiveHint: false },
          outputSchema: { type: 'object' },
        },
      },
    });
    expect(offered.get('toggle-simulated-logging')?.kind).toBe('unapproved');
    expect(toolset.rejectedTools).toEqual([
      { tool: 'simulate-research-query', reason: expect.stringContaining('as a task') },
    ]);
  });

  it('returns text, structured content, pictures and resources', async () => {
    const agent = agentWith(
      connect(),
      responds(
        calls('echo', { message: '{"json": 1}' }, { id: 'text' }),
        calls('get-structured-content', { location: 'Chicago' }, { id: 'structured' }),
        calls('get-tiny-image', {}, { id: 'picture' }),
        calls(
          'get-resource-reference',
          { resourceType: 'Text', resourceId: 1 },
          { id: 'resource' },
        ),
        calls('get-resource-links', { count: 1 }, { id: 'link' }),
      ),
      says('Done.'),
    );

    const { messages } = await agent.run('Show me.');

    expect(resultsOf(messages)).toEqual({
      text: 'Echo: {"json": 1}',
      structured: { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 },
      picture: [
        "Here's the image you requested:",
        'See file picture-1.',
        'The image above is the MCP logo.',
      ],
      resource: [
        expect.any(String),
        { uri: 'demo://resource/dynamic/text/1', mimeType: 'text/plain', text: expect.any(String) },
        expect.any(String),
      ],
      link: [
        expect.any(String),
        {
          uri: 'demo://resource/dynamic/blob/1',
          name: 'Blob Resource 1',
          description: expect.any(String),
          mimeType: 'text/plain',
        },
      ],
    } satisfies Record<string, JsonValue>);
    expect(partsOf(messages)).toContainEqual({
      kind: 'user-prompt',
      content: [
        'File picture-1:',
        {
          kind: 'binary',
          mediaType: 'image/png',
          data: expect.stringMatching(/^iVBORw0KGgo/),
          identifier: 'picture-1',
        },
      ],
    });
  });

  it('sends invalid arguments back to the model', async () => {
    const agent = agentWith(
      connect(),
      calls('get-sum', { a: 'one', b: 2 }),
      calls('get-sum', { a: 1, b: 2 }, { id: 'again' }),
      says('Three.'),
    );

    const { messages } = await agent.run('Add one and two.');

    expect(retriesIn(messages)).toEqual([expect.stringContaining('expected number')]);
    expect(resultsOf(messages)).toEqual({ again: 'The sum of 1 and 2 is 3.' });
  });

  it('reports the progress of a call', async () => {
    const reported: McpProgress[] = [];
    const toolset = connect({ onProgress: (progress) => void reported.push(progress) });
    const agent = agentWith(
      toolset,
      calls('trigger-long-running-operation', { duration: 0.3, steps: 5 }, { id: 'long' }),
      says('Done.'),
    );

    const { messages } = await agent.run('Take your time.');

    expect(resultsOf(messages)).toEqual({ long: expect.stringContaining('completed') });
    // The client may drop the last report, which arrives with the result.
    expect(reported.map(({ progress }) => progress).slice(0, 4)).toEqual([1, 2, 3, 4]);
    expect(reported[0]).toMatchObject({
      toolName: 'trigger-long-running-operation',
      toolCallId: 'long',
      total: 5,
    });
  });

  it('does not delay a run that is aborted during a call', async () => {
    const controller = new AbortController();
    const toolset = connect({ onProgress: () => controller.abort(new Error('Enough.')) });
    const agent = agentWith(
      toolset,
      calls('trigger-long-running-operation', { duration: 1.5, steps: 30 }),
      calls('echo', { message: 'still here' }, { id: 'later' }),
      says('Done.'),
    );
    await using _held = await agent.open();

    const aborted = agent.run('Take your time.', { signal: controller.signal });

    expect(await failureOf(aborted)).toMatchObject({ message: 'Enough.' });
    const { messages } = await agent.run('Are you there?');
    expect(resultsOf(messages)).toEqual({ later: 'Echo: still here' });
  });

  it('serves concurrent runs over one connection', async () => {
    const toolset = connect();
    const runs = ['a', 'b', 'c', 'd'].map((message) =>
      agentWith(toolset, calls('echo', { message }, { id: message }), says('Done.')).run('Go.'),
    );

    const results = await Promise.all(runs);

    expect(Object.assign({}, ...results.map(({ messages }) => resultsOf(messages)))).toEqual({
      a: 'Echo: a',
      b: 'Echo: b',
      c: 'Echo: c',
      d: 'Echo: d',
    });
  });
});

describe('after all tests', () => {
  it('only the server that the test started is left', async () => {
    expect(await runningServers()).toHaveLength(1);
  });
});
