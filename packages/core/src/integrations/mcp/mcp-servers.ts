import type { Capability } from '../../capabilities/capability.ts';
import { checkOptions, invalidOption } from '../../errors/check-options.ts';
import { UserError } from '../../errors/user-errors.ts';
import { type McpServerTool, nativeToolKey } from '../../models/native-tool.ts';
import { changeSelected } from '../../toolsets/tool-change.ts';
import { loadClient, loadStdio, type McpTransport } from './client-library.ts';
import { checkMcpOptions, type McpConnectionOptions } from './mcp-options.ts';
import { McpToolset } from './mcp-toolset.ts';

/** Options of {@link mcpStdio}. */
export interface McpStdioOptions<Deps = unknown> extends McpConnectionOptions<Deps> {
  /** The program of the server. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Environment variables, in addition to the few that it always receives, such as `PATH` and `HOME`. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The working directory of the program. Defaults to that of this process. */
  readonly cwd?: string | undefined;
  /** The destination of the program's stderr. Defaults to the stderr of this process. */
  readonly stderr?: 'inherit' | 'ignore' | undefined;
}

/**
 * Creates a toolset for an MCP server that is started as a process and uses its standard input and output.
 *
 * The process runs while the toolset is open. This needs Node.
 *
 * @example
 * mcpStdio({ id: 'files', command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] })
 */
export function mcpStdio<Deps = unknown>(options: McpStdioOptions<Deps>): McpToolset<Deps> {
  checkMcpOptions('mcpStdio', options, {
    command: 'string',
    args: 'list',
    env: 'object',
    cwd: 'string',
    stderr: ['inherit', 'ignore'],
  });
  const { command, args = [], env, cwd, stderr = 'inherit', ...server } = options;
  // Programs without types may leave it out.
  if ((command as string | undefined) === undefined || command === '') {
    const expected = "the program that starts the server, such as 'npx'";
    throw invalidOption(`MCP server \`${server.id}\``, 'command', command, expected);
  }
  return new McpToolset({
    ...server,
    endpoint: JSON.stringify(['stdio', command, ...args]),
    async transport() {
      const { StdioClientTransport } = await loadStdio();
      return new StdioClientTransport({
        command,
        args: [...args],
        stderr,
        ...(env && { env: { ...env } }),
        ...(cwd !== undefined && { cwd }),
      });
    },
  });
}

/** Options of {@link mcpHttp}. */
export interface McpHttpOptions<Deps = unknown> extends McpConnectionOptions<Deps> {
  /** The address of the server's endpoint, such as `https://example.com/mcp`. */
  readonly url: string | URL;
  /** The headers of every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The function that sends requests. Defaults to the global `fetch`. */
  readonly fetch?: ((url: string | URL, init?: RequestInit) => Promise<Response>) | undefined;
}

/**
 * Creates a toolset for an MCP server that is reached over streamable HTTP.
 *
 * @example
 * mcpHttp({ id: 'tickets', url: 'https://example.com/mcp', headers: { authorization: `Bearer ${token}` } })
 */
export function mcpHttp<Deps = unknown>(options: McpHttpOptions<Deps>): McpToolset<Deps> {
  checkMcpOptions('mcpHttp', options, { url: 'value', headers: 'object', fetch: 'function' });
  const { url, headers = {}, fetch, ...server } = options;
  const address = parseServerUrl(url, server.id);
  return new McpToolset({
    ...server,
    endpoint: JSON.stringify(['http', address.href]),
    transport: () => httpTransport(address, { ...headers }, fetch),
  });
}

function parseServerUrl(url: string | URL, id: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new UserError(
      `The option \`url\` of MCP server \`${id}\` is not an address of http or https. ` +
        'Pass a complete address, such as `https://example.com/mcp`.',
    );
  }
  return parsed;
}

async function httpTransport(
  url: URL,
  headers: Record<string, string>,
  fetch: McpHttpOptions['fetch'],
): Promise<McpTransport> {
  const { StreamableHTTPClientTransport } = await loadClient();
  let isStale = false;
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    async fetch(address, init) {
      try {
        const response = await (fetch ?? globalThis.fetch)(address, init);
        // The status for an unknown session is 404 by the specification. Some servers send 400.
        // Without a session, it is the response of an older server to a request for its revisions.
        const hasSession = new Headers(init?.headers).has('mcp-session-id');
        isStale ||= hasSession && (response.status === 404 || response.status === 400);
        return response;
      } catch (error) {
        isStale ||= init?.signal?.aborted !== true;
        throw error;
      }
    },
  });
  return Object.assign(transport, { isStale: () => isStale });
}

/** The server's address for a provider that connects to MCP servers itself. */
export type NativeMcp = Omit<McpServerTool, 'kind' | 'id'>;

/**
 * Creates a capability with the tools of an MCP server.
 *
 * With `native`, a provider that can connect to MCP servers does so, and other models use the toolset. The
 * provider then executes the calls: they do not pass through the gate, and no approver is involved.
 *
 * @example
 * new Agent({ model, capabilities: [mcp(mcpHttp({ id: 'tickets', url }))] })
 */
export function mcp<Deps = unknown>(
  toolset: McpToolset<Deps>,
  options: { readonly native?: NativeMcp | undefined } = {},
): Capability<Deps> {
  checkOptions('`mcp`', options, { native: 'object' });
  const name = `mcp ${toolset.id}`;
  const { native } = options;
  if (native === undefined) return Object.freeze({ name, toolsets: Object.freeze([toolset]) });
  const server = Object.freeze({ ...native, kind: 'mcp-server', id: toolset.id } as const);
  const unlessNative = nativeToolKey(server);
  const fallback = toolset.changed(
    changeSelected<Deps>('mcp', 'all', (definition) => ({ ...definition, unlessNative })),
  );
  // Optional, because the toolset is the fallback.
  const nativeTools = Object.freeze([Object.freeze({ ...server, optional: true })]);
  return Object.freeze({ name, toolsets: Object.freeze([fallback]), nativeTools });
}
