import { loadStdio } from './client-library.ts';
import { checkMcpOptions, type McpServerOptions } from './mcp-options.ts';
import { McpToolset } from './mcp-toolset.ts';

/** How a server is started. */
export interface McpStdioOptions<Deps = unknown> extends McpServerOptions<Deps> {
  /** The program that is the server. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables for the program, over the few that it gets anyway, such as `PATH` and `HOME`. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The folder in which the program runs; without it that of this process. */
  readonly cwd?: string | undefined;
  /** What happens to what the program prints to stderr; by default this process prints it too. */
  readonly stderr?: 'inherit' | 'ignore' | undefined;
}

/**
 * The tools of an MCP server that is started as a process, and talked to over its input and output.
 *
 * It runs while the toolset is open. This needs Node.
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
