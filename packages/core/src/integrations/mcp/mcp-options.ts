import type { RunContext } from '../../context/run-context.ts';
import {
  checkRequiredOptions,
  invalidOption,
  type OptionTable,
  ownerOf,
} from '../../errors/check-options.ts';
import { UserError } from '../../errors/user-errors.ts';
import { isPlainObject } from '../../internal/json.ts';
import { requireToolSelector, type ToolSelector } from '../../tools/tool-selector.ts';
import type { McpTransport } from './client-library.ts';
import type { McpProtocol } from './connection.ts';

/** Options of every connection to an MCP server, for all transports. */
export interface McpConnectionOptions<Deps = unknown> {
  /** The application's name for the server, in errors, in metadata, and for sub-agents that inherit it. */
  readonly id: string;
  /**
   * Executes tools that the server marks as read-only without approval.
   *
   * Nothing verifies the mark, so use this only for servers that you trust. By default every tool requires
   * approval.
   */
  readonly trustReadOnlyHints?: boolean | undefined;
  /** The tools that execute without approval, independent of the server's marks. */
  readonly withoutApproval?: ToolSelector<Deps> | undefined;
  /**
   * Adds the server's instructions to those of the agent. The author of the server wrote them, so they are
   * ignored by default.
   */
  readonly includeInstructions?: boolean | undefined;
  /**
   * The time without a message after which a request fails, in milliseconds. Defaults to one minute.
   *
   * It applies to connecting, listing and calling. Progress of a call restarts it.
   */
  readonly timeout?: number | undefined;
  /**
   * The protocol: `auto` (the default) asks the server for its revisions first, and uses 2026-07-28 if possible. A process
   * is started twice for that, once per toolset unless it supports that revision. `legacy` uses the revisions up to
   * 2025-11-25 only, which have no questions.
   */
  readonly protocol?: McpProtocol | undefined;
  /** The maximum number of retries after an error of a tool. Defaults to that of the run. */
  readonly maxRetries?: number | undefined;
  /** Receives the progress that the server reports. Its errors are ignored. */
  readonly onProgress?: ((progress: McpProgress, ctx: RunContext<Deps>) => void) | undefined;
}

/** Options of an `McpToolset`. */
export interface McpToolsetOptions<Deps = unknown> extends McpConnectionOptions<Deps> {
  /**
   * Identifies the destination of the transport, such as an address. An approval covers it, because
   * another endpoint is another server.
   */
  readonly endpoint: string;
  /** Creates a transport of `@modelcontextprotocol/client` for each connection. */
  readonly transport: () => McpTransport | Promise<McpTransport>;
}

/** The progress of a call. */
export interface McpProgress {
  /** The server's name for the tool. */
  readonly toolName: string;
  readonly toolCallId: string;
  /** A number that only increases. */
  readonly progress: number;
  /** The final value of `progress`, if the server knows it. */
  readonly total: number | undefined;
  /** The server's description of the progress. */
  readonly message: string | undefined;
}

const MCP_CONNECTION_OPTIONS: OptionTable<McpConnectionOptions> = {
  id: 'value',
  trustReadOnlyHints: 'value',
  withoutApproval: 'value',
  includeInstructions: 'boolean',
  timeout: 'number',
  protocol: ['auto', 'legacy'],
  maxRetries: 'number',
  onProgress: 'function',
};

/**
 * Throws a `UserError` for options of an MCP server that are unknown or have another type. `caller` is the
 * function that accepts them, and `transportOptions` are the options that only this function has.
 */
export function checkMcpOptions<Options extends McpConnectionOptions<never>>(
  caller: string,
  options: Options,
  transportOptions: OptionTable<Omit<Options, keyof McpConnectionOptions>>,
): void {
  const owner = ownerOf(options, 'id', 'MCP server', caller);
  checkRequiredOptions(
    owner,
    options,
    { ...MCP_CONNECTION_OPTIONS, ...transportOptions },
    `\`${caller}\``,
  );
  const { withoutApproval } = options;
  if (withoutApproval === undefined) return;
  requireToolSelector(`Option \`withoutApproval\` of ${owner}`, withoutApproval);
  if (isPlainObject(withoutApproval) && Object.keys(withoutApproval).length === 0) {
    const expected = "`'all'` if no tool of the server needs approval";
    throw invalidOption(owner, 'withoutApproval', withoutApproval, expected);
  }
}

const MINUTE = 60_000;
/** The maximum delay of a timer. A longer one would fire immediately. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/** Returns the timeout of a server. Throws a `UserError` for options with invalid values. */
export function timeoutOfServer(options: McpConnectionOptions<never>): number {
  const { id, timeout = MINUTE, maxRetries = 0, trustReadOnlyHints = false } = options;
  if (typeof id !== 'string' || id === '') {
    throw new UserError(
      'An MCP server needs an id. Set `id` to a short name of your choice, such as "files".',
    );
  }
  if (!(timeout > 0 && timeout <= MAX_TIMEOUT)) {
    throw new UserError(
      `The timeout of MCP server \`${id}\` is \`${timeout}\`. Set \`timeout\` to 1 to ${MAX_TIMEOUT} milliseconds.`,
    );
  }
  if (!(Number.isInteger(maxRetries) && maxRetries >= 0)) {
    throw new UserError(
      `The option \`maxRetries\` of MCP server \`${id}\` is \`${maxRetries}\`. Set it to an integer from 0.`,
    );
  }
  if (typeof trustReadOnlyHints !== 'boolean') {
    throw new UserError(
      `The option \`trustReadOnlyHints\` of MCP server \`${id}\` must be \`true\` or \`false\`.`,
    );
  }
  return timeout;
}
