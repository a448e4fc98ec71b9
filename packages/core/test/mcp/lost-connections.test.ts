import { setTimeout as sleep } from 'node:timers/promises';
import { mcpHttp, McpServerError } from 'holdpoint/mcp';
import { calls, says } from 'holdpoint/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { latch } from '../support/latch.ts';
import { agentWith, failureOf, resultsOf } from './support/agents.ts';
import { everythingOverHttp, scriptedHttpServer } from './support/http-servers.ts';
import { killServers, runningServers } from './support/processes.ts';
import { looseTool } from './support/scripted-protocol.ts';
import { everything, scriptedServer } from './support/stdio-servers.ts';

const longCall = calls(
  'trigger-long-running-operation',
  { duration: 20, steps: 200 },
  { id: 'long' },
);
const echoCall = calls('echo', { message: 'back' }, { id: 'echo' });

afterEach(async () => {
  expect(await runningServers()).toEqual([]);
});

describe('a server that is killed in the middle of a call', () => {
  it('fails the call clearly, and the next run connects again', async () => {
    const running = latch();
    const toolset = everything({ trustReadOnlyHints: true, onProgress: () => running.open() });
    const agent = agentWith(toolset, longCall, echoCall, says('Done.'));
    await using _held = await agent.open();

    const failing = failureOf(agent.run('Go.'));
    await running.opened;
    await killServers();

    const error = await failing;
    expect(error).toBeInstanceOf(McpServerError);
    expect(error).toMatchObject({
      code: 'mcp-server-failed',
      serverId: 'everything',
      problem: 'lost',
      toolCallId: 'long',
      message: expect.stringMatching(
        /MCP server `everything` was lost while `trigger-long-running-operation` executed.*may have had its effect.*next run connects again/,
      ),
    });
    const { messages } = await agent.run('And now?');
    expect(resultsOf(messages)).toEqual({ echo: 'Echo: back' });
  });

  it('fails the call over HTTP as well', async () => {
    await using server = await everythingOverHttp();
    const running = latch();
    const toolset = mcpHttp({
      id: 'remote',
      url: server.url,
      trustReadOnlyHints: true,
      onProgress: () => running.open(),
    });
    const agent = agentWith(toolset, longCall, echoCall, says('Done.'));
    await using _held = await agent.open();

    const failing = failureOf(agent.run('Go.'));
    await running.opened;
    await server.kill();

    expect(await failing).toMatchObject({
      name: 'McpServerError',
      serverId: 'remote',
      problem: 'lost',
      toolCallId: 'long',
    });
    await server.restart();
    const { messages } = await agent.run('And now?');
    expect(resultsOf(messages)).toEqual({ echo: 'Echo: back' });
  });

  it('is called once, without a hidden retry', async () => {
    await using server = await scriptedServer({ tools: [looseTool('die')] });
    const agent = agentWith(server.toolset({ withoutApproval: 'all' }), calls('die'));

    expect(await failureOf(agent.run('Go.'))).toMatchObject({ problem: 'lost' });

    const made = server.received().filter(({ method }) => method === 'tools/call');
    expect(made).toHaveLength(1);
  });
});

describe('a server that ends between two steps', () => {
  it('is started again for the next one', async () => {
    await using server = await scriptedServer({ tools: [looseTool('echo')] });
    const toolset = server.toolset({ withoutApproval: 'all' });
    const agent = agentWith(
      toolset,
      async () => {
        await killServers();
        return calls('echo', { to: 'the new one' }, { id: 'echo' });
      },
      says('Done.'),
    );

    const { messages } = await agent.run('Go.');

    expect(resultsOf(messages)).toEqual({ echo: '{"to":"the new one"}' });
    const begun = server.received().filter(({ method }) => method === 'initialize');
    expect(begun).toHaveLength(2);
  });
});

describe('over HTTP', () => {
  const script = { tools: [looseTool('echo'), looseTool('hang')] };
  const connect = (url: string) => mcpHttp({ id: 'remote', url, withoutApproval: 'all' });

  it('a call whose response is cut off fails; other calls and later runs do not', async () => {
    await using server = await scriptedHttpServer(script);
    const agent = agentWith(connect(server.url), calls('hang', {}, { id: 'h' }), says('Done.'));
    await using _held = await agent.open();

    const failing = failureOf(agent.run('Go.'));
    while (!server.received.some(({ method }) => method === 'tools/call')) await sleep(5);
    server.cutStreams();

    expect(await failing).toMatchObject({ problem: 'lost', toolCallId: 'h' });
    expect((await agent.run('Again.')).output).toBe('Done.');
  });

  it('a session that the server forgot fails the call, and the next run begins another one', async () => {
    await using server = await scriptedHttpServer(script);
    const agent = agentWith(
      connect(server.url),
      () => {
        server.forget();
        return calls('echo', {}, { id: 'first' });
      },
      calls('echo', {}, { id: 'second' }),
      says('Done.'),
    );
    await using _held = await agent.open();

    expect(await failureOf(agent.run('Go.'))).toMatchObject({
      problem: 'lost',
      toolCallId: 'first',
      message: expect.stringContaining('MCP server `remote`'),
    });
    const { messages } = await agent.run('Again.');

    expect(resultsOf(messages)).toEqual({ second: '{}' });
  });
});
