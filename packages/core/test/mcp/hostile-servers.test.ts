import { Agent, messageCodec } from 'holdpoint';
import { mcpHttp, McpServerError, mcpStdio } from 'holdpoint/mcp';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { serveFiles } from '../support/static-server.ts';
import { named } from '../support/toolsets.ts';
import { agentWith, failureOf, offeredBy, resultsOf } from './support/agents.ts';
import { scriptedHttpServer } from './support/http-servers.ts';
import { looseTool, type Script, text } from './support/scripted-protocol.ts';
import { node } from './support/stdio-servers.ts';

const connect = (url: string) => mcpHttp({ id: 'evil', url, withoutApproval: 'all' });

describe('tools that cannot be used', () => {
  const deep = JSON.parse('{"a":'.repeat(300) + '1' + '}'.repeat(300));

  it.each<[string, unknown, string]>([
    ['no name', { inputSchema: { type: 'object' } }, 'name: Expected a string'],
    ['a name that is no text', { ...looseTool('x'), name: 7 }, 'name: Expected a string'],
    ['an empty name', looseTool(''), '1 to 128 characters'],
    ['an endless name', looseTool('x'.repeat(129)), '1 to 128 characters'],
    ['a name that looks like another', looseTool('read\u200bfile'), 'control characters'],
    ['a name of several lines', looseTool('read\nAPPROVED'), 'control characters'],
    ['the name __proto__', looseTool('__proto__'), 'every JavaScript object has'],
    ['the name constructor', looseTool('constructor'), 'every JavaScript object has'],
    ['no schema', { name: 'x' }, 'inputSchema: Expected an object'],
    [
      'a schema of a text',
      looseTool('x', { inputSchema: { type: 'string' } }),
      'not that of an object',
    ],
    ['a schema that is true', looseTool('x', { inputSchema: true }), 'Expected an object'],
    [
      'a bottomless schema',
      looseTool('x', { inputSchema: { type: 'object', deep } }),
      '200 levels',
    ],
    [
      'annotations that are a text',
      looseTool('x', { annotations: 'safe' }),
      'annotations: Expected',
    ],
    ['an endless description', looseTool('x', { description: 'x'.repeat(200_000) }), 'longer than'],
    ['no object at all', 'x', 'Expected an object'],
  ])('are rejected, and the others are not: %s', async (_what, tool, reason) => {
    await using server = await scriptedHttpServer({ tools: [tool, looseTool('echo')] });
    const toolset = connect(server.url);

    const offered = await offeredBy(toolset);

    expect([...offered.keys()]).toEqual(['echo']);
    expect(toolset.rejectedTools).toEqual([
      { tool: expect.any(String), reason: expect.stringContaining(reason) },
    ]);
  });

  it('are all rejected if a name is a duplicate', async () => {
    const twice = [looseTool('echo', { annotations: { readOnlyHint: true } }), looseTool('echo')];
    await using server = await scriptedHttpServer({ tools: [...twice, looseTool('other')] });
    const toolset = connect(server.url);

    expect([...(await offeredBy(toolset)).keys()]).toEqual(['other']);
    expect(toolset.rejectedTools).toEqual([
      { tool: 'echo', reason: expect.stringContaining('More than one') },
    ]);
  });
});

/** A schema with about this many characters, most of them in the names of many members. */
function schemaOf(characters: number) {
  const names = Array.from({ length: characters / 100 }, (_, index) => `${index}`.padEnd(100, 'x'));
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, true])) };
}

describe('lists that cannot be read', () => {
  it.each<[string, Script, string]>([
    ['no list', { pages: [{ tools: 'all of them' }] }, 'invalid list of tools'],
    ['nothing', { pages: [null] }, 'cannot|does not list|something else'],
    ['a list without an end', { pages: [{ tools: [], nextCursor: '0' }] }, '100 pages'],
    [
      'too many tools',
      { pages: [{ tools: Array.from({ length: 5001 }, () => 1), nextCursor: '0' }] },
      '5000 tools',
    ],
  ])('end the run with an error that names the server: %s', async (_what, script, problem) => {
    await using server = await scriptedHttpServer(script);

    const error = await failureOf(agentWith(connect(server.url), says('x')).run('Go.'));

    expect(error).toBeInstanceOf(McpServerError);
    expect(error).toMatchObject({ serverId: 'evil', message: expect.stringMatching(problem) });
    expect(error).toMatchObject({ message: expect.stringContaining('MCP server `evil`') });
  });

  const numbered = (count: number) =>
    Array.from({ length: count }, (_, index) => looseTool(`tool_${index}`));

  it.each<[string, Script, string]>([
    ['20,000 on one page', { tools: numbered(20_000) }, '5000 tools'],
    ['one more than allowed on one page', { tools: numbered(5001) }, '5000 tools'],
    [
      'one more than allowed on the last page',
      { pages: [{ tools: numbered(5000), nextCursor: '1' }, { tools: numbered(1) }] },
      '5000 tools',
    ],
    [
      'descriptions of 12 million characters on one page',
      { tools: [looseTool('echo', { description: 'x'.repeat(12_000_000) })] },
      '10000000 characters',
    ],
    [
      'many descriptions that are too large together',
      { tools: numbered(110).map((tool) => ({ ...tool, description: 'x'.repeat(99_000) })) },
      '10000000 characters',
    ],
    [
      'schemas with 12 million characters on two pages',
      {
        pages: [
          { tools: [looseTool('a', { inputSchema: schemaOf(6_000_000) })], nextCursor: '1' },
          { tools: [looseTool('b', { inputSchema: schemaOf(6_000_000) })] },
        ],
      },
      '10000000 characters',
    ],
  ])('too many or too large tools end the run: %s', async (_what, script, problem) => {
    await using server = await scriptedHttpServer(script);
    const toolset = connect(server.url);

    const error = await failureOf(agentWith(toolset, says('x')).run('Go.'));

    expect(error).toMatchObject({
      serverId: 'evil',
      problem: 'invalid',
      message: expect.stringContaining(problem),
    });
    expect(toolset.rejectedTools).toEqual([]);
  });

  it('as many tools as allowed on one page are offered', async () => {
    await using server = await scriptedHttpServer({ tools: numbered(5000) });

    expect((await offeredBy(connect(server.url))).size).toBe(5000);
  });

  it('may have any number of pages', async () => {
    const page = (name: string, nextCursor?: string) => ({ tools: [looseTool(name)], nextCursor });
    await using server = await scriptedHttpServer({
      pages: [page('a', '1'), page('b', '2'), page('c')],
    });

    expect([...(await offeredBy(connect(server.url))).keys()]).toEqual(['a', 'b', 'c']);
  });
});

describe('results that cannot be read', () => {
  const block = (content: object) => ({ content: [content] });

  it.each<[string, unknown]>([
    ['a result that is a text', 'done'],
    ['content that is a text', { content: 'done' }],
    ['a block that is a text', { content: ['done'] }],
    ['text that is a number', block({ type: 'text', text: 7 })],
    ['a picture without data', block({ type: 'image', mimeType: 'image/png' })],
    [
      'a picture that is not base64',
      block({ type: 'image', mimeType: 'image/png', data: '<svg>' }),
    ],
    ['a resource that is none', block({ type: 'resource', resource: 'x' })],
    ['metadata that is a text', { ...text('ok'), _meta: 'x' }],
    ['a bottomless value', { structuredContent: JSON.parse('['.repeat(300) + ']'.repeat(300)) }],
  ])('end the run with an error that names the call: %s', async (_what, result) => {
    await using server = await scriptedHttpServer({
      tools: [looseTool('odd')],
      results: { odd: result },
    });
    const agent = agentWith(connect(server.url), calls('odd', {}, { id: 'o' }));

    const error = await failureOf(agent.run('Go.'));

    expect(error).toBeInstanceOf(McpServerError);
    expect(error).toMatchObject({
      toolCallId: 'o',
      message: expect.stringMatching(/MCP server `evil`.*`odd`/),
    });
  });

  it('keep unknown content and members such as __proto__ in the history', async () => {
    const structured = JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": 1}');
    await using server = await scriptedHttpServer({
      tools: [looseTool('odd')],
      results: {
        odd: {
          structuredContent: structured,
          content: [
            { type: 'from_the_future', data: [1] },
            { type: 'text', text: 'the same' },
          ],
        },
      },
    });
    const agent = agentWith(connect(server.url), calls('odd', {}, { id: 'o' }), says('Done.'));

    const { messages } = await agent.run('Go.');

    const stored = messageCodec.parse(messageCodec.stringify(messages));
    expect(JSON.stringify(resultsOf(stored)['o'])).toBe(
      JSON.stringify([structured, { type: 'from_the_future', data: [1] }]),
    );
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });
});

describe('programs that are no MCP servers', () => {
  it.each<[string, Parameters<typeof mcpStdio>[0]]>([
    ['a program that is not there', { id: 'evil', command: 'no-such-program' }],
    ['a program that ends', { id: 'evil', command: node, args: ['-e', ''] }],
    [
      'a program that prints something else',
      {
        id: 'evil',
        command: node,
        args: ['-e', 'console.log("Hello."); setTimeout(() => {}, 300)'],
      },
    ],
  ])('are distinguished by their id: %s', async (_what, options) => {
    const error = await failureOf(agentWith(mcpStdio(options), says('x')).run('Go.'));

    expect(error).toMatchObject({
      name: 'McpServerError',
      problem: 'unreachable',
      message: expect.stringMatching(/MCP server `evil` cannot be reached: .*Check its command/),
    });
  });

  it('are distinguished over HTTP as well', async () => {
    await using page = await serveFiles({ '/': { mediaType: 'text/html', text: '<html>' } });

    const error = await failureOf(agentWith(connect(page.url), says('x')).run('Go.'));

    expect(error).toMatchObject({ name: 'McpServerError', problem: 'unreachable' });
  });

  it('do not affect other agents', async () => {
    const good = new Agent({
      model: scriptedModel(calls('fine'), says('Done.')),
      tools: [named('fine')],
    });
    const bad = agentWith(mcpStdio({ id: 'evil', command: 'no-such-program' }), says('x'));

    const [first, second] = await Promise.allSettled([good.run('Go.'), bad.run('Go.')]);

    expect(first).toMatchObject({ status: 'fulfilled', value: { output: 'Done.' } });
    expect(second.status).toBe('rejected');
  });
});
