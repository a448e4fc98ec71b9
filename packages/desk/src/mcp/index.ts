export {
  approvalGateway,
  type ApprovalGateway,
  type ApprovalGatewayOptions,
} from './approval-gateway.ts';
export type { McpCaller, McpHttpServerOptions, McpServerOptions } from './mcp-options.ts';
export { type McpConnection, type McpServer, mcpServer, type McpStreams } from './mcp-server.ts';
