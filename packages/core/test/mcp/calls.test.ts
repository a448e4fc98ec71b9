import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'holdpoint';
import { mcpHttp, type McpProgress } from 'holdpoint/mcp';
import { otel } from 'holdpoint/otel';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { recordSpans } from '../support/spans.ts';
import { agentWith, failureOf, resultsOf, retriesIn } from './support/agents.ts';
import { scriptedHttpServer } from './support/http-servers.ts';
import { looseTool, type Script, type RpcMessage } from './support/scripted-protocol.ts';
import { scriptedServer } from './support/stdio-servers.ts';

const script: Script = {
  tools: ['echo', 'hang', 'slow', 'fails', 'unknown'].map((name) => looseTool(name)),
  results: { fails: { isError: true, content: [{ type: 'text', text: 'No such customer.' }] } },
};

const free = { withoutApproval: 'all' } as const;
const isCall = ({ method }: RpcMessage) => method === 'tools/call';
const isCancelled = ({ method }: RpcMessage) => method === 'notifications/cancelled';

describe('an aborted call', () => {
  /** Aborts a run while its call hangs; returns the messages that the server received. */
  async function abortCall(
    toolset: Parameters<typeof agentWith>[0],
    received: () => readonly RpcMessage[],
  ): Promise<readonly RpcMessage[]> {
    const controller = new AbortController();
    const running = agentWith(toolset, calls('hang')).run('Go.', { signal: controller.signal });
    const rejected = failureOf(running);
    while (!received().some(isCall)) await sleep(5);
    controller.abort(new Error('A secret reason.'));
    expect(await rejected).toMatchObject({ message: 'A secret reason.' });
    return received();
  }

  it('is cancelled on its server, which receives no reason', async () => {
    await using server = await scriptedServer(script);

    const received = await abortCall(server.toolset(free), server.received);

    const call = received.find(isCall);
    expect(received.find(isCancelled)).toMatchObject({ params: { requestId: call?.id } });
    expect(JSON.stringify(received)).not.toContain('secret');
    expect(received.at(-1)).toEqual({ method: 'end of input' });
  });

  it('is cancelled over HTTP before the session ends', async () => {
    await using server = await scriptedHttpServer(script);
    const toolset = mcpHttp({
      id: 'remote',
      url: server.url,
      async fetch(url, init) {
        if (String(init?.body).includes('notifications/cancelled')) await sleep(50);
        init?.signal?.throwIfAborted();
        return fetch(url, init);
      },
      ...free,
    });

    const received = await abortCall(toolset, () => server.received);

    expect(received.find(isCancelled)).toMatchObject({
      params: { requestId: received.find(isCall)?.id },
    });
    expect(server.sessions.size).toBe(0);
  });
});

describe('the timeout of a call', () => {
  it('restarts with each progress report', async () => {
    await using server = await scriptedHttpServer(script);
    const received: (string | undefined)[] = [];
    const toolset = mcpHttp({
      id: 'remote',
      url: server.url,
      timeout: 350,
      onProgress(progress: McpProgress, ctx) {
        received.push(`${ctx.toolName} ${ctx.toolCallId} ${progress.message}`);
        throw new Error('What watches a call does not decide it.');
      },
      ...free,
    });
    const agent = agentWith(toolset, calls('slow', {}, { id: 's' }), says('Done.'));

    const { messages } = await agent.run('Go.');

    expect(resultsOf(messages)).toEqual({ s: 'slow but sure' });
    expect(received).toEqual([1, 2, 3, 4, 5].map((part) => `slow s part ${part}`));
  });

  it('expires if the server is silent: the run ends, and the server is notified', async () => {
    await using server = await scriptedHttpServer(script);
    const toolset = mcpHttp({ id: 'remote', url: server.url, timeout: 200, ...free });

    const error = await failureOf(agentWith(toolset, calls('hang', {}, { id: 'h' })).run('Go.'));

    expect(error).toMatchObject({
      name: 'McpServerError',
      problem: 'timeout',
      toolCallId: 'h',
      message: expect.stringMatching(
        /nothing for 200 ms while `hang` executed.*may have had its effect/,
      ),
    });
    await expect.poll(() => server.received.some(isCancelled), { timeout: 20_000 }).toBe(true);
  });
});

describe('an error response of a server', () => {
  it('is reported to the model, which may try again', async () => {
    await using server = await scriptedHttpServer(script);
    const toolset = mcpHttp({ id: 'remote', url: server.url, maxRetries: 2, ...free });
    const agent = agentWith(toolset, calls('fails'), calls('unknown'), says('Sorry.'));

    const { output, messages } = await agent.run('Go.');

    expect(output).toBe('Sorry.');
    expect(retriesIn(messages)).toEqual(['No such customer.', expect.stringContaining('No tool')]);
  });
});

describe('the metadata of a result', () => {
  it('is kept for the application', async () => {
    await using server = await scriptedHttpServer({
      tools: [looseTool('note')],
      results: { note: { content: [{ type: 'text', text: 'ok' }], _meta: { 'example/id': 7 } } },
    });
    const toolset = mcpHttp({ id: 'remote', url: server.url, ...free });
    const agent = agentWith(toolset, responds(calls('note')), says('Done.'));

    const { messages } = await agent.run('Go.');

    expect(messages.flatMap(({ parts }) => parts as readonly object[])).toContainEqual(
      expect.objectContaining({ content: 'ok', metadata: { mcp: { meta: { 'example/id': 7 } } } }),
    );
  });
});

describe('a traced call', () => {
  it('sends the trace context of its span to the server', async () => {
    await using server = await scriptedHttpServer(script);
    const toolset = mcpHttp({ id: 'remote', url: server.url, ...free });
    const { tracer, span } = recordSpans();
    const agent = new Agent({
      model: scriptedModel(calls('echo', { n: 1 }), says('Done.')),
      toolsets: [toolset],
      capabilities: [otel({ tracer })],
    });

    await agent.run('Go.');
    await agentWith(toolset, calls('echo'), says('Done.')).run('Go.');

    const [traced, plain] = server.received.filter(isCall);
    const { traceId, spanId } = span('execute_tool echo').spanContext();
    expect(traced?.params?._meta).toMatchObject({ traceparent: `00-${traceId}-${spanId}-01` });
    expect(plain?.params?._meta).not.toHaveProperty('traceparent');
  });
});
