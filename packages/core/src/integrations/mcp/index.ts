export type { McpTransport } from './client-library.ts';
export { mcp, type NativeMcp } from './mcp-capability.ts';
export { mcpHttp, type McpHttpOptions } from './mcp-http.ts';
export type { McpProgress, McpServerOptions, McpToolsetOptions } from './mcp-options.ts';
export { type McpProblem, McpServerError, type McpServerErrorDetails } from './mcp-server-error.ts';
export { mcpStdio, type McpStdioOptions } from './mcp-stdio.ts';
export { McpToolset } from './mcp-toolset.ts';
export type { McpRejectedTool } from './read-tools.ts';
