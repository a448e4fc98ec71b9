export type { McpTransport } from './client-library.ts';
export {
  type McpProblem,
  type McpProtocol,
  McpServerError,
  type McpServerErrorDetails,
} from './connection.ts';
export type { McpProgress, McpConnectionOptions, McpToolsetOptions } from './mcp-options.ts';
export {
  mcp,
  mcpHttp,
  type McpHttpOptions,
  mcpStdio,
  type McpStdioOptions,
  type NativeMcp,
} from './mcp-servers.ts';
export type { McpRejectedTool } from './mcp-tool.ts';
export { McpToolset } from './mcp-toolset.ts';
