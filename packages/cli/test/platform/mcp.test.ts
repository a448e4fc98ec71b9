import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Client,
  type ClientCapabilities,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openDesk, type ServedDesk } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../../../core/test/support/run-program.ts';
import { bin } from '../support/holdpoint.ts';

const FILE = 'packages/cli/test/platform/programs/mcp-desk.ts';
const FORMS: ClientCapabilities = { elicitation: { form: {} } };
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-mcp-'));
const environment = {
  XDG_STATE_HOME: join(folder, 'state'),
  MCP_DESK_FILE: join(folder, 'desk.db'),
  MCP_LOG_FILE: join(folder, 'payments'),
  HOLDPOINT_TOKEN: 'secret',
};
const node = `${repository}node_modules/.bin/node`;
const command = ['--conditions=holdpoint-source', bin, 'mcp', FILE];

/** The desk of another process: it has the decisions of the inbox, and executes nothing. */
let inbox: ServedDesk;
/** `holdpoint mcp --http` in another process. */
let http: { readonly child: ChildProcess; readonly url: URL };

beforeAll(async () => {
  Object.assign(process.env, environment);
  writeFileSync(environment.MCP_LOG_FILE, '');
  const { default: options } = await import('./programs/mcp-desk.ts');
  inbox = openDesk(options);
  http = await serveHttp();
});

afterAll(async () => {
  http.child.kill('SIGTERM');
  await inbox.close();
  for (const name of Object.keys(environment)) delete process.env[name];
  rmSync(folder, { recursive: true });
});

async function serveHttp(): Promise<typeof http> {
  const child = spawn(node, [...command, '--http', '--port', '0'], {
    cwd: repository,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await once(child.stdout, 'data');
  const address = /http:\S+/.exec(String(printed))?.[0] ?? '';
  return { child, url: new URL(address) };
}

const payments = (): string[] =>
  readFileSync(environment.MCP_LOG_FILE, 'utf8').split('\n').filter(Boolean);

interface Connected extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number | undefined;
  readonly call: (name: string, args: Record<string, unknown>) => Promise<string>;
}

async function connect(
  options: {
    readonly over?: 'stdio' | 'http';
    readonly era?: 'modern' | 'legacy';
    readonly respond?: () => ElicitResult | Promise<ElicitResult>;
  } = {},
): Promise<Connected> {
  const { over = 'stdio', era = 'modern', respond } = options;
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: respond === undefined ? {} : FORMS,
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
    },
  );
  if (respond !== undefined) client.setRequestHandler('elicitation/create', respond);
  const stdio = new StdioClientTransport({
    command: node,
    args: command,
    cwd: repository,
    env: { ...environment, ...(respond && { MCP_FORMS: 'yes' }), PATH: process.env['PATH'] ?? '' },
    stderr: 'ignore',
  });
  const headers = { authorization: 'Bearer secret' };
  await client.connect(
    over === 'stdio'
      ? stdio
      : new StreamableHTTPClientTransport(http.url, { requestInit: { headers } }),
  );
  return {
    client,
    get pid() {
      return stdio.pid ?? undefined;
    },
    async call(name, args) {
      const { content } = await client.callTool({ name, arguments: args });
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function approve(): Promise<void> {
  const { items } = await inbox.holds();
  for (const { id, digest } of items) {
    await inbox.decide(id, { kind: 'approve' }, { by: { id: 'grace' }, digest });
  }
}

const handleIn = (text: string): string => /handle "([^"]+)"/.exec(text)?.[1] ?? '';

describe('`holdpoint mcp`', () => {
  it.each([
    ['stdio', 'modern'],
    ['stdio', 'legacy'],
    ['http', 'modern'],
    ['http', 'legacy'],
  ] as const)('holds the call of a client without forms (%s, %s)', async (over, era) => {
    await using connected = await connect({ over, era });
    const before = payments().length;

    const pending = await connected.call('pay', { euros: 7 });
    expect(pending).toContain('https://desk.test/inbox/holds/');
    expect(payments()).toHaveLength(before);
    await approve();

    const handle = handleIn(pending);
    expect(await connected.call('get_result', { handle })).toBe('7 euros paid');
    expect(payments()).toHaveLength(before + 1);
  });

  it.each(['modern', 'legacy'] as const)(
    'lets its user decide in a form over stdio (%s)',
    async (era) => {
      const content = { decision: 'approve' };
      await using connected = await connect({
        era,
        respond: () => ({ action: 'accept', content }),
      });
      const before = payments().length;

      expect(await connected.call('pay', { euros: 8 })).toBe('8 euros paid');
      expect(payments()).toHaveLength(before + 1);
    },
  );

  it('continues a call after its process was killed between request and decision', async () => {
    const before = payments().length;
    const first = await connect();
    const handle = handleIn(await first.call('pay', { euros: 9 }));
    process.kill(first.pid ?? 0, 'SIGKILL');
    await first.client.close();
    await approve();

    await using second = await connect();
    expect(await second.call('get_result', { handle })).toBe('9 euros paid');
    expect(payments()).toHaveLength(before + 1);
  });

  it('accepts the form of a process that was killed, once', async () => {
    const before = payments().length;
    let kill = () => {};
    const shown: Record<string, unknown>[] = [];
    const open = async () => {
      const client = new Client(
        { name: 'test', version: '1' },
        {
          capabilities: FORMS,
          versionNegotiation: { mode: { pin: '2026-07-28' } },
          inputRequired: { autoFulfill: false },
        },
      );
      const transport = new StdioClientTransport({
        command: node,
        args: command,
        cwd: repository,
        env: { ...environment, MCP_FORMS: 'yes', PATH: process.env['PATH'] ?? '' },
        stderr: 'ignore',
      });
      await client.connect(transport);
      kill = () => process.kill(transport.pid ?? 0, 'SIGKILL');
      return client;
    };
    const send = async (client: Client, more: object) => {
      const params = { name: 'pay', arguments: { euros: 10 }, ...more };
      const result: unknown = await client.callTool(params, { allowInputRequired: true });
      shown.push(result as Record<string, unknown>);
      return result as { inputRequests?: object; requestState?: string };
    };
    const first = await open();
    const { inputRequests = {}, requestState } = await send(first, {});
    kill();
    await first.close();

    const second = await open();
    const response: ElicitResult = { action: 'accept', content: { decision: 'approve' } };
    const keys = Object.keys(inputRequests);
    const inputResponses = Object.fromEntries(keys.map((key) => [key, response]));
    await send(second, { requestState, inputResponses });
    await send(second, { requestState, inputResponses });
    await second.close();

    expect(shown[1]).toMatchObject({ content: [{ text: '10 euros paid' }] });
    expect(JSON.stringify(shown[2])).toContain('This form was already used');
    expect(payments()).toHaveLength(before + 1);
  });

  it('rejects HTTP requests without the token', async () => {
    expect((await fetch(http.url, { method: 'POST', body: '{}' })).status).toBe(401);
  });
});
