import { fileURLToPath } from 'node:url';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { Agent, DeferredToolRequests, type Toolset } from 'holdpoint';
import { mcpHttp, type McpConnectionOptions, mcpStdio, type McpToolset } from 'holdpoint/mcp';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { expectParked } from '../support/deferral.ts';
import { agentWith, failureOf, offeredBy, resultsOf } from './support/agents.ts';
import { everythingOverHttp, scriptedHttpServer } from './support/http-servers.ts';
import { killServers, runningServers } from './support/processes.ts';
import { releaseServer } from './support/release-server.ts';
import { looseTool, type RpcMessage } from './support/scripted-protocol.ts';
import { everything, node, scriptedServer } from './support/stdio-servers.ts';

type Options = Partial<McpConnectionOptions>;
type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const program = fileURLToPath(new URL('./support/release-server.ts', import.meta.url));
const free = { withoutApproval: 'all' } as const;
const script = { tools: [looseTool('echo')] };

/** A server of one or both eras as a process. */
function stdioReleases(era: 'modern' | 'both', options: Options = {}): McpToolset {
  return mcpStdio({
    id: 'releases',
    command: node,
    args: [program],
    env: { ERA: era },
    ...options,
  });
}

/** A server of one or both eras behind a function that sends requests. */
function httpServer(era: 'modern' | 'both'): Fetch {
  const handler = createMcpHandler(releaseServer, {
    legacy: era === 'modern' ? 'reject' : 'stateless',
  });
  return (url, init) => handler.fetch(new Request(url, init));
}

function httpReleases(fetch: Fetch, options: Options = {}): McpToolset {
  return mcpHttp({ id: 'releases', url: 'https://releases.test/mcp', fetch, ...options });
}

function messageIn(init: RequestInit | undefined): RpcMessage {
  return typeof init?.body === 'string' ? JSON.parse(init.body) : {};
}

/** Counts the requests by method, and responds to those for the revisions of the server with `respond`. */
function observed(fetch: Fetch, respond?: (init: RequestInit | undefined) => Promise<Response>) {
  const methods: (string | undefined)[] = [];
  const observing: Fetch = (url, init) => {
    const { method } = messageIn(init);
    methods.push(method);
    return method === 'server/discover' && respond ? respond(init) : fetch(url, init);
  };
  return {
    fetch: observing,
    count: (method: string) => methods.filter((one) => one === method).length,
  };
}

/** Calls `deploy`, and returns its result, or the question that it asks. */
async function deploy(toolset: Toolset): Promise<unknown> {
  const result = await agentWith(toolset, calls('deploy', {}, { id: 'd' }), says('Done.')).run(
    'Go.',
  );
  if (result.status === 'finished') return resultsOf(result.messages)['d'];
  return [...result.output][0]?.question?.message;
}

const QUESTION = 'MCP server `releases` asks: In which window?';

afterEach(async () => {
  expect(await runningServers()).toEqual([]);
});

describe('a toolset of a server, without an option for the protocol', () => {
  it.each([
    ['a process of the newest revision', () => stdioReleases('modern', free)],
    ['a process of both', () => stdioReleases('both', free)],
    ['an address of the newest revision', () => httpReleases(httpServer('modern'), free)],
    ['an address of both', () => httpReleases(httpServer('both'), free)],
  ])('uses the newest revision of %s, and asks its question', async (_, toolset) => {
    expect(await deploy(toolset())).toBe(QUESTION);
  });

  it('continues the call of a process with the input', async () => {
    const toolset = stdioReleases('modern', free);
    const output = [String, DeferredToolRequests] as const;
    const model = scriptedModel(calls('deploy', {}, { id: 'd' }), says('Done.'));
    const agent = new Agent({ model, toolsets: [toolset], output });
    const parked = await expectParked(agent.run('Go.'));

    const responses = [...parked.output].map((call) => call.respond({ window: 'tonight' }));
    const { messages } = await agent.resume(parked, parked.output.buildResults(responses));

    expect(resultsOf(messages)).toEqual({ d: 'Deployed tonight' });
  });

  it('uses an earlier revision of a process', async () => {
    expect([...(await offeredBy(everything())).keys()]).toContain('echo');
  });

  it('uses an earlier revision of an address', async () => {
    await using server = await everythingOverHttp();

    const offered = await offeredBy(mcpHttp({ id: 'everything', url: server.url }));

    expect([...offered.keys()]).toContain('echo');
  });

  it('connects to a process that does not respond to unknown requests, with the default timeout', async () => {
    await using server = await scriptedServer({ ...script, isSilent: true });

    expect([...(await offeredBy(server.toolset())).keys()]).toEqual(['echo']);
  });

  it('connects to a process that exits after an unknown request', async () => {
    await using server = await scriptedServer({ ...script, exitsOnUnknown: true });

    expect([...(await offeredBy(server.toolset())).keys()]).toEqual(['echo']);
  });

  it.each<[string, (init: RequestInit | undefined) => Promise<Response>]>([
    ['an error of the server', async () => new Response('Oops', { status: 500 })],
    ['a page', async () => new Response('<p>Hi</p>', { headers: { 'content-type': 'text/html' } })],
    ['a lost connection', () => Promise.reject(new TypeError('terminated'))],
    ['forbidden', async () => new Response('', { status: 403 })],
    [
      'nothing',
      (init) =>
        new Promise((_, reject) => {
          init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    ],
  ])('uses an earlier revision if the response to its request is %s', async (_, respond) => {
    const { fetch, count } = observed(httpServer('both'), respond);

    const result = await deploy(httpReleases(fetch, { ...free, timeout: 1_500 }));

    expect(result).toBe('Deployed without a question');
    expect([count('server/discover'), count('initialize')]).toEqual([1, 1]);
  });

  it('tries each era once if the server cannot be reached, and reports the first error', async () => {
    let sent = 0;
    const fetch: Fetch = () => {
      sent += 1;
      return Promise.reject(new TypeError(`attempt ${sent}`));
    };

    const error = await failureOf(deploy(httpReleases(fetch)));

    expect(error).toMatchObject({ problem: 'unreachable' });
    expect(String(error)).toContain('attempt 1');
    expect(sent).toBe(2);
  });

  it('does not repeat the handshake of an earlier revision that fails', async () => {
    const { fetch, count } = observed(async (_url, init) => {
      const { id, method } = messageIn(init);
      const error = { code: -32_601, message: 'Method not found' };
      if (method === 'server/discover') return Response.json({ jsonrpc: '2.0', id, error });
      return new Response('Oops', { status: 500 });
    });

    expect(await failureOf(deploy(httpReleases(fetch)))).toMatchObject({ problem: 'unreachable' });

    expect([count('server/discover'), count('initialize')]).toEqual([1, 1]);
  });
});

describe('a server of an earlier revision', () => {
  it('receives one request for its revisions per toolset', async () => {
    await using server = await scriptedServer(script);
    const toolset = server.toolset();
    const discoveries = () =>
      server.received().filter(({ method }) => method === 'server/discover').length;

    for (let run = 0; run < 3; run += 1) await offeredBy(toolset);
    expect(discoveries()).toBe(1);

    await toolset.open();
    await killServers();
    await offeredBy(toolset);
    await toolset.close();
    expect(discoveries()).toBe(1);
  });

  it('may be replaced by one of the newest revision', async () => {
    await using old = await scriptedHttpServer(script);
    let current: Fetch = (_url, init) => fetch(old.url, init);
    const toolset = httpReleases((url, init) => current(url, init), free);
    expect([...(await offeredBy(toolset)).keys()]).toEqual(['echo']);

    current = httpServer('modern');
    // The first connection still expects the earlier revision.
    expect(await failureOf(deploy(toolset))).toMatchObject({ problem: 'unreachable' });
    expect(await deploy(toolset)).toBe(QUESTION);
  });

  it('receives another request for its revisions if the first one failed', async () => {
    let isBroken = true;
    const { fetch } = observed(httpServer('both'), (init) =>
      isBroken
        ? Promise.resolve(new Response('', { status: 503 }))
        : httpServer('both')('https://releases.test/mcp', init),
    );
    const toolset = httpReleases(fetch, free);

    expect(await deploy(toolset)).toBe('Deployed without a question');
    isBroken = false;
    expect(await deploy(toolset)).toBe(QUESTION);
  });
});

describe('a call that was requested in one era', () => {
  it.each([
    ['legacy', 'auto'],
    ['auto', 'legacy'],
  ] as const)('has not drifted in the other (%s, %s)', async (before, after) => {
    const fetch = httpServer('both');
    const first = agentWith(
      httpReleases(fetch, { protocol: before }),
      calls('deploy', {}, { id: 'd' }),
    );
    const parked = await expectParked(first.run('Go.'));
    const approved = parked.output.buildResults({ approveAll: true });

    const second = agentWith(httpReleases(fetch, { protocol: after }), says('Done.'));
    const result = await second.resume(parked, approved);

    if (after === 'legacy') {
      expect(resultsOf(result.messages)).toEqual({ d: 'Deployed without a question' });
    } else {
      const again = await expectParked(Promise.resolve(result));
      expect([...again.output][0]).toMatchObject({ kind: 'question' });
    }
  });
});
