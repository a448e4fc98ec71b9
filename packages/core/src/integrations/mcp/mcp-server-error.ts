import { AgentError } from '../../errors/agent-errors.ts';

/**
 * What went wrong with a server:
 *
 * - `unreachable`: there is no connection
 * - `lost`: the connection ended in the middle of a call
 * - `timeout`: the server was silent for too long
 * - `invalid`: the server said something that the protocol does not allow
 */
export type McpProblem = 'unreachable' | 'lost' | 'timeout' | 'invalid';

/** What an {@link McpServerError} is about. */
export interface McpServerErrorDetails {
  readonly serverId: string;
  readonly problem: McpProblem;
  /** The call that failed, where it was one. */
  readonly toolCallId?: string | undefined;
  readonly cause?: unknown;
}

/**
 * An MCP server failed; the run ends with this error.
 *
 * A call with a `toolCallId` here may have had its effect: it is not repeated by itself.
 */
export class McpServerError extends AgentError {
  override name = 'McpServerError';
  readonly code = 'mcp-server-failed';
  /** The `id` of the toolset. */
  readonly serverId: string;
  readonly problem: McpProblem;
  /** The call of which nobody knows whether it had its effect; `undefined` if there was none. */
  readonly toolCallId: string | undefined;

  constructor(message: string, details: McpServerErrorDetails) {
    super(message, { cause: details.cause });
    this.serverId = details.serverId;
    this.problem = details.problem;
    this.toolCallId = details.toolCallId;
  }
}
