import { liveEnvironment } from '../../context/environment.ts';
import { AgentError } from '../../errors/agent-errors.ts';
import { isThrown, messageOf } from '../../errors/thrown.ts';
import { isPlainObject } from '../../internal/json.ts';
import { ModelRetry } from '../../tools/signals.ts';
import {
  type AnyResult,
  type Client,
  type ClientLibrary,
  CUT_OFF,
  loadClient,
  type McpRequest,
  type McpTransport,
  type Progress,
  type RequestOptions,
  type WatchedTransport,
  watchTransport,
} from './client-library.ts';

/**
 * The kind of a server's failure:
 *
 * - `unreachable`: the connection failed
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

/**
 * The choice of the protocol: `auto` uses the revision 2026-07-28 if the server supports it, and earlier revisions
 * otherwise. `legacy` uses the handshake of earlier revisions only.
 */
export type McpProtocol = 'auto' | 'legacy';

/** Options of a connection. */
export interface ConnectionOptions {
  /** The application's name for the server. */
  readonly id: string;
  /** The time without a message after which a request fails, in milliseconds. */
  readonly timeout: number;
  readonly protocol: McpProtocol;
  readonly transport: () => McpTransport | Promise<McpTransport>;
}

/** The name and version that a server reports. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** Options of a tool call. */
interface CallOptions {
  readonly toolCallId: string;
  /** The trace context that the server receives. */
  readonly traceparent: string | undefined;
  /** The state and the input of a call that the server continues. */
  readonly continuation?: object | undefined;
  readonly signal: AbortSignal;
  readonly onprogress: (progress: Progress) => void;
}

/** The name and version that servers receive. */
const CLIENT_INFO = { name: 'holdpoint', version: '1' };

/** The capabilities for calls: the server may ask a person, in a form or at an address. */
const CAPABILITIES = { elicitation: { form: {}, url: {} } };
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

/** The time to send the last messages to a server, in milliseconds. */
const FLUSH_TIMEOUT = 1000;
/** The time in which a process responds to the request for its revisions, in milliseconds. */
const PROCESS_PROBE_TIMEOUT = 5000;
/** The same time for other servers, which may have to start first. */
const PROBE_TIMEOUT = 15_000;
/** The time for a process to exit, in milliseconds. It is longer than the client waits before it kills it. */
const EXIT_TIMEOUT = 6000;

const anyResult: AnyResult = {
  '~standard': { version: 1, vendor: 'holdpoint', validate: (value) => ({ value }) },
};

/** A connection to a server. A lost connection is not reused: the session opens another one. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #library: ClientLibrary;
  readonly #client: Client;
  readonly #transport: WatchedTransport;
  readonly #closed: Promise<void>;
  readonly #calls = new Set<Promise<unknown>>();
  #isClosed = false;
  /** True after a call that received no response. */
  #isBroken = false;
  server: ServerInfo = { name: '', version: '' };
  /** The server's instructions for models. */
  instructions: string | undefined;
  /** The number of notifications that the list of tools changed. */
  listChanges = 0;

  /**
   * Connects to the server. If that fails, stops a process that was started. If the request for the revisions of the
   * server fails, tries the handshake of earlier revisions once: some servers do not respond to unknown requests.
   */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const library = await loadClient();
    const connection = new Connection(options, library, watchTransport(await options.transport()));
    try {
      await connection.#connect();
      return connection;
    } catch (cause) {
      await connection.close();
      const error = connection.#error('unreachable', 'cannot be reached', cause);
      const isUndecided = options.protocol === 'auto' && !connection.#transport.hasInitialized();
      if (!isUndecided) throw error;
      return Connection.#openLegacy(options, error);
    }
  }

  static async #openLegacy(options: ConnectionOptions, error: McpServerError): Promise<Connection> {
    try {
      return await Connection.open({ ...options, protocol: 'legacy' });
    } catch {
      // The first error is about the newest revision, and the reason for this attempt.
      throw error;
    }
  }

  private constructor(
    options: ConnectionOptions,
    library: ClientLibrary,
    transport: WatchedTransport,
  ) {
    this.#options = options;
    this.#library = library;
    this.#transport = transport;
    this.#client = new library.Client(CLIENT_INFO, {
      versionNegotiation: { mode: options.protocol, probe: probeOf(transport, options.timeout) },
      inputRequired: { autoFulfill: false },
    });
    this.#closed = new Promise((resolve) => {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no events
      this.#client.onclose = () => {
        this.#isClosed = true;
        resolve();
      };
    });
  }

  /** True if every request stands alone: another server may handle the next one, and none announces new tools. */
  get isStateless(): boolean {
    return this.#client.getProtocolEra() === 'modern';
  }

  /** True if the server has stated that it does not support the revision 2026-07-28. */
  get isOfEarlierRevision(): boolean {
    return this.#options.protocol === 'auto' && !this.isStateless;
  }

  /** True if the connection is closed or unreliable. */
  get isLost(): boolean {
    return this.#isClosed || this.#isBroken || this.#transport.isStale();
  }

  async #connect(): Promise<void> {
    this.#client.setNotificationHandler('notifications/tools/list_changed', () => {
      this.listChanges += 1;
    });
    await this.#client.connect(this.#transport, { timeout: this.#options.timeout });
    // The client discards these values when the connection closes.
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {};
    this.server = Object.freeze({ name, version });
    this.instructions = this.#client.getInstructions();
  }

  /** Returns the server's list of tools, without validating it. */
  async listTools(): Promise<readonly unknown[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const listing = new ToolListing();
    let params: Record<string, unknown> = {};
    for (let page = 0; page < MAX_PAGES; page++) {
      const { items, nextCursor } = await this.#listPage(params);
      const exceeded = listing.add(items);
      if (exceeded !== undefined) throw this.#tooMany(exceeded);
      if (nextCursor === undefined) return listing.tools;
      params = { cursor: nextCursor };
    }
    throw this.#tooMany(`${MAX_PAGES} pages`);
  }

  #tooMany(limit: string): McpServerError {
    return this.#error('invalid', `exceeds the limit of ${limit} for its list of tools.`);
  }

  async #listPage(params: Record<string, unknown>) {
    const { timeout } = this.#options;
    let page: unknown;
    try {
      page = await this.#request({ method: 'tools/list', params }, { timeout });
    } catch (cause) {
      throw this.#error('unreachable', 'does not list its tools', cause);
    }
    const { tools, nextCursor } = isPlainObject(page) ? page : ({} as Record<string, unknown>);
    if (!Array.isArray(tools)) {
      throw this.#error('invalid', 'sent an invalid list of tools.');
    }
    const isLast = typeof nextCursor !== 'string' || nextCursor === '';
    return { items: tools as readonly unknown[], nextCursor: isLast ? undefined : nextCursor };
  }

  /**
   * Calls a tool once. Returns the server's response, without validating it.
   *
   * Throws `ModelRetry` for a protocol error that the server sent. Throws `McpServerError` without
   * a response, because the call may have had its effect.
   */
  async callTool(name: string, args: unknown, options: CallOptions): Promise<unknown> {
    const { signal, toolCallId, traceparent, continuation, onprogress } = options;
    signal.throwIfAborted();
    const meta = {
      ...(traceparent !== undefined && { traceparent }),
      // Servers of older revisions would send their own requests, which cannot wait for a person.
      ...(this.isStateless && { [CAPABILITIES_KEY]: CAPABILITIES }),
    };
    const _meta = Object.keys(meta).length > 0 ? { _meta: meta } : {};
    const params = { name, arguments: args, ...continuation, ..._meta };
    const request: McpRequest = { method: 'tools/call', params };
    // The server is notified of the cancellation, but not of its reason, which may be confidential.
    const cancellation = new AbortController();
    const onAbort = () => cancellation.abort('The call was cancelled.');
    signal.addEventListener('abort', onAbort);
    const response = this.#request(request, {
      timeout: this.#options.timeout,
      resetTimeoutOnProgress: true,
      allowInputRequired: true,
      signal: cancellation.signal,
      onprogress,
    });
    this.#calls.add(response);
    try {
      return await response;
    } catch (cause) {
      signal.throwIfAborted();
      throw this.#callError(cause, name, toolCallId);
    } finally {
      this.#calls.delete(response);
      signal.removeEventListener('abort', onAbort);
    }
  }

  #request(request: McpRequest, options: RequestOptions): Promise<unknown> {
    return this.#client.request(request, anyResult, options);
  }

  #callError(cause: unknown, toolName: string, toolCallId: string): Error {
    const { ProtocolError, SdkError } = this.#library;
    if (isThrown(cause, ProtocolError) && cause.data !== CUT_OFF) {
      return new ModelRetry(cause.message, { cause });
    }
    const { id, timeout } = this.#options;
    const isTimeout = isThrown(cause, SdkError) && cause.code === 'REQUEST_TIMEOUT';
    if (!isTimeout) this.#isBroken = true;
    return new McpServerError(
      (isTimeout
        ? `MCP server \`${id}\` sent nothing for ${timeout} ms while \`${toolName}\` executed, so the call was cancelled. `
        : `The connection to MCP server \`${id}\` was lost while \`${toolName}\` executed: ${sentenceOf(cause)} `) +
        'The call may have had its effect. Check that before you repeat it. ' +
        (isTimeout
          ? 'Set a longer `timeout` if the tool takes longer.'
          : 'The next run connects again.'),
      { serverId: id, problem: isTimeout ? 'timeout' : 'lost', toolCallId, cause },
    );
  }

  #error(problem: 'unreachable' | 'invalid', description: string, cause?: unknown): McpServerError {
    const { id } = this.#options;
    const reason = cause === undefined ? '' : `: ${sentenceOf(cause)}`;
    const help =
      problem === 'unreachable'
        ? 'Check its command or address, and that it is running.'
        : 'Use another version of the server, or remove the toolset.';
    return new McpServerError(`MCP server \`${id}\` ${description}${reason} ${help}`, {
      serverId: id,
      problem,
      cause,
    });
  }

  /** Closes the connection after the calls in progress. */
  async retire(): Promise<void> {
    for (const call of this.#calls) await call.catch(() => {});
    await this.close();
  }

  /** Closes the connection, and waits until its process has exited. Never fails. */
  async close(): Promise<void> {
    // If the server's revisions are unknown, the client has closed the transport itself, and reports no end.
    const reportsEnd = this.#transport.hasInitialized() || this.isStateless;
    if (!this.#isClosed) await waitAtMost(FLUSH_TIMEOUT, this.#transport.terminate());
    this.#isClosed = true;
    await this.#client.close().catch(() => {});
    // The client does not wait for a process that it killed.
    if (reportsEnd) await waitAtMost(EXIT_TIMEOUT, this.#closed);
  }
}

/** Returns the limits of the request for the revisions of a server. A silent server is one of an older revision. */
function probeOf(transport: object, timeout: number): { readonly timeoutMs: number } {
  // Only the transports of processes have a process id.
  const limit = 'pid' in transport ? PROCESS_PROBE_TIMEOUT : PROBE_TIMEOUT;
  return { timeoutMs: Math.min(timeout, limit) };
}

/** Waits for `work`, at most for `ms` milliseconds. Ignores its errors. */
async function waitAtMost(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const done = work.catch(() => {}).then(() => timer.abort());
  await liveEnvironment.race([done, liveEnvironment.sleep(ms, timer.signal)]);
}

/** Returns the message of an error as a sentence. Shortens it, because it can be a page of a server. */
function sentenceOf(cause: unknown): string {
  const text = messageOf(cause);
  const short = text.length > 300 ? `${text.slice(0, 300)}…` : text;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}

/** The maximum number of pages in a list of tools. */
const MAX_PAGES = 100;
/** The maximum number of tools in a list. */
const MAX_TOOLS = 5000;
/** The maximum number of characters of all listed tools, with their names, descriptions and schemas. */
const MAX_CHARACTERS = 10_000_000;

/** Collects the tools that a server lists, up to limits on their number and size. */
class ToolListing {
  readonly tools: unknown[] = [];
  #characters = 0;

  /** Adds a page. If the tools would exceed a limit, returns the limit as text instead. */
  add(page: readonly unknown[]): string | undefined {
    if (this.tools.length + page.length > MAX_TOOLS) return `${MAX_TOOLS} tools`;
    this.#characters += countCharacters(page, MAX_CHARACTERS - this.#characters);
    if (this.#characters > MAX_CHARACTERS) return `${MAX_CHARACTERS} characters`;
    for (const tool of page) this.tools.push(tool);
    return undefined;
  }
}

/** Returns a lower bound for the characters of a value as JSON. Stops above `max`. */
function countCharacters(value: unknown, max: number): number {
  let count = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0 && count <= max) {
    const next = rest.pop();
    count += typeof next === 'string' ? next.length + 2 : 1;
    if (typeof next !== 'object' || next === null) continue;
    const isArray = Array.isArray(next);
    for (const [key, member] of Object.entries(next)) {
      count += isArray ? 1 : key.length + 4;
      rest.push(member);
    }
  }
  return count;
}
