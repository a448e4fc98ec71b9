import { AgentError } from '../../errors/agent-errors.ts';

/**
 * The kind of a server's failure:
 *
 * - `unreachable`: there is no connection
 * - `lost`: the connection was lost during a call
 * - `timeout`: the server sent nothing for too long
 * - `invalid`: the server sent a message that the protocol does not allow
 */
export type McpProblem = 'unreachable' | 'lost' | 'timeout' | 'invalid';

/** Details of an {@link McpServerError}. */
export interface McpServerErrorDetails {
  readonly serverId: string;
  readonly problem: McpProblem;
  /** The id of the failed call, if there was one. */
  readonly toolCallId?: string | undefined;
  readonly cause?: unknown;
}

/**
 * An error of an MCP server, which ends the run.
 *
 * The call `toolCallId` may have had its effect, so it is not repeated automatically.
 */
export class McpServerError extends AgentError {
  override name = 'McpServerError';
  readonly code = 'mcp-server-failed';
  /** The `id` of the toolset. */
  readonly serverId: string;
  readonly problem: McpProblem;
  /** The id of the call that may have had its effect, if there was one. */
  readonly toolCallId: string | undefined;

  constructor(message: string, details: McpServerErrorDetails) {
    super(message, { cause: details.cause });
    this.serverId = details.serverId;
    this.problem = details.problem;
    this.toolCallId = details.toolCallId;
  }
}
