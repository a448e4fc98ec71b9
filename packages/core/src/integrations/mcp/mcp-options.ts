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

/** What holds for every MCP server, however it is reached. */
export interface McpServerOptions<Deps = unknown> {
  /** What the application calls the server: in errors, in metadata, and for those that inherit it. */
  readonly id: string;
  /**
   * Whether tools that the server marks as read-only run without approval.
   *
   * The mark is nothing but the server's word, so this is for servers that you trust. Without it every
   * tool asks.
   */
  readonly trustReadOnlyHints?: boolean | undefined;
  /** Tools that run without approval because you say so, whatever the server says. */
  readonly withoutApproval?: ToolSelector<Deps> | undefined;
  /**
   * Whether the server's own instructions are told to the model. They are text of somebody else that
   * stands beside your instructions; without this they are not read.
   */
  readonly includeInstructions?: boolean | undefined;
  /**
   * How long the server may be silent, in milliseconds; a minute by default.
   *
   * It holds for connecting, listing and calling. Progress of a call begins the time anew.
   */
  readonly timeout?: number | undefined;
  /** How often the model may try again after an error of a tool; without it the run's number holds. */
  readonly maxRetries?: number | undefined;
  /** Told how far calls have come, where the server says so. What it throws is ignored. */
  readonly onProgress?: ((progress: McpProgress, ctx: RunContext<Deps>) => void) | undefined;
}

/** What a toolset of an MCP server is made from. */
export interface McpToolsetOptions<Deps = unknown> extends McpServerOptions<Deps> {
  /**
   * Names what the transport leads to, such as an address. It is part of what was approved: another
   * endpoint is another server.
   */
  readonly endpoint: string;
  /** Makes a transport of `@modelcontextprotocol/client`, a new one for each connection. */
  readonly transport: () => McpTransport | Promise<McpTransport>;
}

/** How far a call has come. */
export interface McpProgress {
  /** The tool by the name that its server gives it. */
  readonly toolName: string;
  readonly toolCallId: string;
  /** It only grows. */
  readonly progress: number;
  /** What `progress` comes to in the end, where the server knows. */
  readonly total: number | undefined;
  /** What the server says about it. */
  readonly message: string | undefined;
}

const SERVER: OptionTable<McpServerOptions> = {
  id: 'value',
  trustReadOnlyHints: 'value',
  withoutApproval: 'value',
  includeInstructions: 'boolean',
  timeout: 'number',
  maxRetries: 'number',
  onProgress: 'function',
};

/**
 * Throws a `UserError` for options of an MCP server that are unknown or of another type. `own` are those
 * that only this way to reach a server has, and `caller` is the function that takes them.
 */
export function checkMcpOptions<Options extends McpServerOptions<never>>(
  caller: string,
  options: Options,
  own: OptionTable<Omit<Options, keyof McpServerOptions>>,
): void {
  const owner = ownerOf(options, 'id', 'MCP server', caller);
  checkRequiredOptions(owner, options, { ...SERVER, ...own }, `\`${caller}\``);
  const { withoutApproval } = options;
  if (withoutApproval === undefined) return;
  requireToolSelector(`Option \`withoutApproval\` of ${owner}`, withoutApproval);
  if (isPlainObject(withoutApproval) && Object.keys(withoutApproval).length === 0) {
    const expected = "`'all'` if no tool of the server needs approval";
    throw invalidOption(owner, 'withoutApproval', withoutApproval, expected);
  }
}

const MINUTE = 60_000;
/** A longer timer would end at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** The timeout of a server; throws for options that cannot be meant. */
export function checkedTimeout(options: McpServerOptions<never>): number {
  const { id, timeout = MINUTE, maxRetries = 0, trustReadOnlyHints = false } = options;
  if (typeof id !== 'string' || id === '') {
    throw new UserError('An MCP server needs an id: a short name of your choice, such as "files".');
  }
  if (!(timeout > 0 && timeout <= LONGEST_TIMEOUT)) {
    throw new UserError(
      `The timeout of MCP server '${id}' is ${timeout}; give between 1 and ${LONGEST_TIMEOUT} milliseconds.`,
    );
  }
  if (!(Number.isInteger(maxRetries) && maxRetries >= 0)) {
    throw new UserError(
      `maxRetries of MCP server '${id}' is ${maxRetries}; give a whole number from 0 on.`,
    );
  }
  if (typeof trustReadOnlyHints !== 'boolean') {
    throw new UserError(`trustReadOnlyHints of MCP server '${id}' must be true or false.`);
  }
  return timeout;
}
