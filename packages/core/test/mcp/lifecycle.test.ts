import { CombinedToolset, UserError } from 'holdpoint';
import type { Permit } from 'holdpoint/tools';
import { mcpHttp, mcpStdio, McpToolset } from 'holdpoint/mcp';
import { calls, says } from 'holdpoint/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { expectParked } from '../support/deferral.ts';
import { untyped } from '../support/untyped.ts';
import { agentWith, approving, failureOf, offeredBy, resultsOf } from './support/agents.ts';
import { scriptedHttpServer } from './support/http-servers.ts';
import { killServers, runningServers } from './support/processes.ts';
import { looseTool } from './support/scripted-protocol.ts';
import { node, scriptedServer } from './support/stdio-servers.ts';

const script = { tools: ['echo', 'hang', 'die'].map((name) => looseTool(name)) };
const free = { withoutApproval: 'all' } as const;

afterEach(async () => {
  expect(await runningServers()).toEqual([]);
});

describe('the process of a server', () => {
  it('exists while a run needs it, and is shared by all runs', async () => {
    await using server = await scriptedServer(script);
    const toolset = server.toolset(free);
    let atOnce = 0;
    const run = () =>
      agentWith(
        toolset,
        async () => {
          atOnce = Math.max(atOnce, (await runningServers()).length);
          return calls('echo');
        },
        says('Done.'),
      ).run('Go.');

    await Promise.all([run(), run(), run()]);

    expect(atOnce).toBe(1);
    expect(await runningServers()).toEqual([]);
  });

  it('stays alive between the runs of an agent that is held open', async () => {
    await using server = await scriptedServer(script);
    const agent = agentWith(server.toolset(free), says('One.'), says('Two.'));
    {
      await using _held = await agent.open();
      await agent.run('Go.');
      const [first] = await runningServers();
      await agent.run('Go.');

      expect(first).toBeDefined();
      expect(await runningServers()).toEqual([first]);
    }
    expect(await runningServers()).toEqual([]);
  });

  it.each([
    ['a run that fails', () => ({ usageLimits: { requestLimit: 0 } })],
    ['a run that is aborted', () => ({ signal: AbortSignal.timeout(600) })],
  ])('exits after %s', async (_what, options) => {
    await using server = await scriptedServer(script);
    const agent = agentWith(server.toolset(free), calls('hang'));

    await expect(agent.run('Go.', options())).rejects.toThrow();

    expect(await runningServers()).toEqual([]);
  });

  it('ends after a run that parks, and a new process executes the call', async () => {
    await using server = await scriptedServer(script);
    const agent = agentWith(server.toolset(), calls('echo', { a: 1 }, { id: 'e' }), says('Done.'));

    const parked = await expectParked(agent.run('Go.'));
    expect(await runningServers()).toEqual([]);
    const results = parked.output.buildResults({ approveAll: true });
    const { messages } = await agent.resume(parked, results);

    expect(resultsOf(messages)).toEqual({ e: '{"a":1}' });
  });

  it('exits if the handshake with the server fails', async () => {
    const silent = mcpStdio({
      id: 'silent',
      command: node,
      args: ['-e', 'process.stdin.resume() // silent-server.ts'],
      timeout: 300,
    });

    await expect(agentWith(silent, says('x')).run('Go.')).rejects.toThrow(/Request timed out/);

    expect(await runningServers()).toEqual([]);
  });

  it('is killed if it does not exit', async () => {
    const stubborn = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); // -server.ts`;
    const toolset = mcpStdio({
      id: 'stubborn',
      command: node,
      args: ['-e', stubborn],
      timeout: 300,
    });

    await expect(agentWith(toolset, says('x')).run('Go.')).rejects.toThrow(/Request timed out/);

    expect(await runningServers()).toEqual([]);
  });

  it('stays alive during an inline approval, for any time', async () => {
    await using server = await scriptedServer(script);
    const agent = agentWith(server.toolset(), calls('echo', {}, { id: 'e' }), says('Done.'));

    const { messages } = await agent.run('Go.', {
      async deferredToolHandler(requests, ctx) {
        await killServers();
        return approving(requests, ctx);
      },
    });

    expect(resultsOf(messages)).toEqual({ e: '{}' });
  });
});

describe('an MCP toolset', () => {
  it('works inside other toolsets, under other names', async () => {
    await using server = await scriptedHttpServer(script);
    const toolset = mcpHttp({ id: 'remote', url: server.url, ...free });
    const combined = new CombinedToolset([toolset.prefixed('a'), toolset.prefixed('b')]);
    const agent = agentWith(combined, calls('b_echo', {}, { id: 'e' }), says('Done.'));

    const { messages } = await agent.run('Go.');

    expect(resultsOf(messages)).toEqual({ e: '{}' });
    expect(server.sessions.size).toBe(0);
    expect(server.received.filter(({ method }) => method === 'initialize')).toHaveLength(1);
  });

  it('accepts any transport', async () => {
    await using server = await scriptedHttpServer(script);
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const toolset = new McpToolset({
      id: 'own',
      endpoint: 'my own',
      transport: () => new StreamableHTTPClientTransport(new URL(server.url)),
    });

    expect([...(await offeredBy(toolset)).keys()]).toEqual(['echo', 'hang', 'die']);
  });

  it('sends headers through the given fetch function', async () => {
    await using server = await scriptedHttpServer(script);
    const sent = new Set<string | null>();
    const toolset = mcpHttp({
      id: 'remote',
      url: server.url,
      headers: { authorization: 'Bearer token' },
      fetch(url, init) {
        sent.add(new Headers(init?.headers).get('authorization'));
        return fetch(url, init);
      },
    });

    await offeredBy(toolset);

    expect([...sent]).toEqual(['Bearer token']);
  });

  it('executes nothing without a permit', async () => {
    await using server = await scriptedHttpServer(script);
    const toolset = mcpHttp({ id: 'remote', url: server.url, ...free });
    const forged = { call: {}, args: {} } as Permit;
    let error: unknown;
    const prying = toolset.changed({
      name: 'prying',
      perStep: true,
      apply(tools, ctx) {
        try {
          tools.get('echo')?.execute(forged, ctx);
        } catch (thrown) {
          error = thrown;
        }
        return tools;
      },
    });

    await agentWith(prying, says('Done.')).run('Go.');

    expect(error).toMatchObject({ code: 'past-the-gate' });
    expect(server.received.some(({ method }) => method === 'tools/call')).toBe(false);
  });

  it('throws when it is not open', async () => {
    const toolset = mcpStdio({ id: 'shut', command: node });

    // The context is read only after the connection.
    const error = await failureOf(toolset.getTools(untyped(undefined)));

    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toContain('MCP server `shut` is not open');
  });

  it.each<[string, () => unknown, string]>([
    ['no id', () => mcpStdio({ id: '', command: node }), 'needs an id'],
    ['no address', () => mcpHttp({ id: 'a', url: 'example.com' }), 'not an address'],
    ['another protocol', () => mcpHttp({ id: 'a', url: 'file:///etc/passwd' }), 'not an address'],
    ['no time', () => mcpStdio({ id: 'a', command: node, timeout: 0 }), 'to 1 to'],
    ['endless time', () => mcpStdio({ id: 'a', command: node, timeout: Infinity }), 'to 1 to'],
    [
      'half a retry',
      () => mcpStdio({ id: 'a', command: node, maxRetries: 0.5 }),
      'an integer from 0',
    ],
    [
      'trust that is a text',
      () => mcpStdio({ id: 'a', command: node, trustReadOnlyHints: untyped<boolean>('no') }),
      'must be `true` or `false`',
    ],
  ])('cannot be created with %s', (_what, make, problem) => {
    expect(make).toThrow(UserError);
    expect(make).toThrow(problem);
  });
});
