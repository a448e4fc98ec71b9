export type { McpTransport } from './client-library.ts';
export { mcp, type NativeMcp } from './mcp-capability.ts';
export type { McpProgress, McpServerOptions, McpToolsetOptions } from './mcp-options.ts';
export { type McpProblem, McpServerError, type McpServerErrorDetails } from './mcp-server-error.ts';
export { mcpHttp, type McpHttpOptions, mcpStdio, type McpStdioOptions } from './mcp-servers.ts';
export { McpToolset } from './mcp-toolset.ts';
export type { McpRejectedTool } from './read-tools.ts';
