import { UserError } from '../../errors/user-errors.ts';
import { loadClient, type McpTransport } from './client-library.ts';
import { checkMcpOptions, type McpServerOptions } from './mcp-options.ts';
import { McpToolset } from './mcp-toolset.ts';

/** Where a server is. */
export interface McpHttpOptions<Deps = unknown> extends McpServerOptions<Deps> {
  /** The address of the server's endpoint, such as `https://example.com/mcp`. */
  readonly url: string | URL;
  /** Sent with every request, such as an `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Makes the requests, instead of the global `fetch`. */
  readonly fetch?: ((url: string | URL, init?: RequestInit) => Promise<Response>) | undefined;
}

/**
 * The tools of an MCP server that is reached over streamable HTTP.
 *
 * @example
 * mcpHttp({ id: 'tickets', url: 'https://example.com/mcp', headers: { authorization: `Bearer ${token}` } })
 */
export function mcpHttp<Deps = unknown>(options: McpHttpOptions<Deps>): McpToolset<Deps> {
  checkMcpOptions('mcpHttp', options, { url: 'value', headers: 'object', fetch: 'function' });
  const { url, headers = {}, fetch, ...server } = options;
  const address = checkedUrl(url, server.id);
  return new McpToolset({
    ...server,
    endpoint: JSON.stringify(['http', address.href]),
    transport: () => httpTransport(address, { ...headers }, fetch),
  });
}

async function httpTransport(
  url: URL,
  headers: Record<string, string>,
  fetch: McpHttpOptions['fetch'],
): Promise<McpTransport> {
  const { StreamableHTTPClientTransport } = await loadClient();
  let stale = false;
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    async fetch(address, init) {
      try {
        const response = await (fetch ?? globalThis.fetch)(address, init);
        // How servers say that they do not know the session: by the specification, and in practice.
        stale ||= response.status === 404 || response.status === 400;
        return response;
      } catch (error) {
        stale ||= init?.signal?.aborted !== true;
        throw error;
      }
    },
  });
  return Object.assign(transport, { isStale: () => stale });
}

function checkedUrl(url: string | URL, id: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new UserError(
      `The url of MCP server '${id}' is not an address of http or https. Give a whole one, such as https://example.com/mcp.`,
    );
  }
  return parsed;
}
