import { isThrown, messageOf } from '../../errors/thrown.ts';
import { liveEnvironment } from '../../context/environment.ts';
import { isPlainObject } from '../../internal/json.ts';
import { ModelRetry } from '../../tools/signals.ts';
import {
  type AnyResult,
  type Client,
  type ClientLibrary,
  loadClient,
  type McpTransport,
  type Progress,
  type Request,
  type RequestOptions,
} from './client-library.ts';
import { BoundedListing, MAX_PAGES } from './listing-limits.ts';
import { McpServerError } from './mcp-server-error.ts';
import { CUT_OFF, watchTransport, type WatchedTransport } from './watched-transport.ts';

/** How a server is reached. */
export interface ConnectionOptions {
  /** What the application calls the server. */
  readonly id: string;
  /** How long the server may be silent, in milliseconds. */
  readonly timeout: number;
  readonly transport: () => McpTransport | Promise<McpTransport>;
}

/** What a server calls itself. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** Who calls, how long they want it, and who wants to know how far it has come. */
export interface CallOptions {
  readonly toolCallId: string;
  readonly signal: AbortSignal;
  readonly onprogress: (progress: Progress) => void;
}

/** What servers are told about us. */
const CLIENT_INFO = { name: 'holdpoint', version: '1' };

/** How long a server has for being told that the connection ends, in milliseconds. */
const FAREWELL = 1000;
/** How long a process has to end; the client kills it before. */
const END = 6000;

const anyResult: AnyResult = {
  '~standard': { version: 1, vendor: 'holdpoint', validate: (value) => ({ value }) },
};

/** One connection to a server. It ends once, and is then replaced by another one. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #library: ClientLibrary;
  readonly #client: Client;
  readonly #transport: WatchedTransport;
  readonly #ended: Promise<void>;
  readonly #calls = new Set<Promise<unknown>>();
  #isClosed = false;
  /** Whether a call got no answer. */
  #isBroken = false;
  /** What the server calls itself. */
  server: ServerInfo = { name: '', version: '' };
  /** What the server wants models to be told. */
  instructions: string | undefined;
  /** How often the server said that its list of tools has changed. */
  listChanges = 0;

  /** Connects; what was started is gone again if that fails. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const library = await loadClient();
    const connection = new Connection(options, library, watchTransport(await options.transport()));
    try {
      await connection.#connect();
      return connection;
    } catch (cause) {
      await connection.close();
      throw connection.#error('unreachable', 'cannot be reached', cause);
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
    this.#client = new library.Client(CLIENT_INFO);
    this.#ended = new Promise((resolve) => {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no events
      this.#client.onclose = () => {
        this.#isClosed = true;
        resolve();
      };
    });
  }

  /** Whether it is over, or can no longer be relied on. */
  get isLost(): boolean {
    return this.#isClosed || this.#isBroken || this.#transport.isStale();
  }

  async #connect(): Promise<void> {
    this.#client.setNotificationHandler('notifications/tools/list_changed', () => {
      this.listChanges += 1;
    });
    await this.#client.connect(this.#transport, { timeout: this.#options.timeout });
    // Kept here: the client forgets it when the connection ends.
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {};
    this.server = Object.freeze({ name, version });
    this.instructions = this.#client.getInstructions();
  }

  /** All pages of the server's list of tools, unread. */
  async listTools(): Promise<readonly unknown[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const listing = new BoundedListing();
    let params: Record<string, unknown> = {};
    for (let page = 0; page < MAX_PAGES; page++) {
      const { items, nextCursor } = await this.#listPage(params);
      const exceeded = listing.add(items);
      if (exceeded !== undefined) throw this.#tooLong(exceeded);
      if (nextCursor === undefined) return listing.tools;
      params = { cursor: nextCursor };
    }
    throw this.#tooLong(`${MAX_PAGES} pages`);
  }

  #tooLong(limit: string): McpServerError {
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
      throw this.#error('invalid', 'gives something else than a list of tools.');
    }
    const isLast = typeof nextCursor !== 'string' || nextCursor === '';
    return { items: tools as readonly unknown[], nextCursor: isLast ? undefined : nextCursor };
  }

  /**
   * Calls a tool, once; gives what the server answered, unread.
   *
   * An answer that is an error of the protocol is thrown as `ModelRetry`; nobody knows about a call
   * without an answer, so that one is thrown as an error of the server.
   */
  async callTool(name: string, args: unknown, options: CallOptions): Promise<unknown> {
    const { signal, toolCallId, onprogress } = options;
    signal.throwIfAborted();
    const request: Request = { method: 'tools/call', params: { name, arguments: args } };
    // The server is told that the call is not wanted any more, but not why: that is our business.
    const stop = new AbortController();
    const onAbort = () => stop.abort('The call is no longer wanted.');
    signal.addEventListener('abort', onAbort);
    const calling = this.#request(request, {
      timeout: this.#options.timeout,
      resetTimeoutOnProgress: true,
      signal: stop.signal,
      onprogress,
    });
    this.#calls.add(calling);
    try {
      return await calling;
    } catch (cause) {
      signal.throwIfAborted();
      throw this.#callError(cause, name, toolCallId);
    } finally {
      this.#calls.delete(calling);
      signal.removeEventListener('abort', onAbort);
    }
  }

  #request(request: Request, options: RequestOptions): Promise<unknown> {
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
        ? `MCP server '${id}' was silent for ${timeout} ms while '${toolName}' ran, and was told to stop. `
        : `The connection to MCP server '${id}' was lost while '${toolName}' ran: ${textOf(cause)} `) +
        'The call may have had its effect: look before you repeat it. ' +
        (isTimeout
          ? 'Tools that take longer need a longer timeout.'
          : 'The next run connects again.'),
      { serverId: id, problem: isTimeout ? 'timeout' : 'lost', toolCallId, cause },
    );
  }

  #error(problem: 'unreachable' | 'invalid', what: string, cause?: unknown): McpServerError {
    const { id } = this.#options;
    const reason = cause === undefined ? '' : `: ${textOf(cause)}`;
    const help =
      problem === 'unreachable'
        ? 'Check its command or address, and whether it runs.'
        : 'Update or replace the server, or leave the toolset out.';
    return new McpServerError(`MCP server '${id}' ${what}${reason} ${help}`, {
      serverId: id,
      problem,
      cause,
    });
  }

  /** Ends the connection when the calls that are under way are over. */
  async retire(): Promise<void> {
    for (const call of this.#calls) await call.catch(() => {});
    await this.close();
  }

  /** Ends the connection and waits until nothing of it is left. It never fails. */
  async close(): Promise<void> {
    if (!this.#isClosed) await atMost(FAREWELL, this.#transport.sayGoodbye());
    this.#isClosed = true;
    await this.#client.close().catch(() => {});
    // The client does not wait for a process that it had to kill.
    await atMost(END, this.#ended);
  }
}

/** Waits for something, but not for long; how it ends does not matter. */
async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const done = work.catch(() => {}).then(() => timer.abort());
  await liveEnvironment.race([done, liveEnvironment.sleep(ms, timer.signal)]);
}

/** What an error says, as a sentence; it may be a page that a server has sent. */
function textOf(cause: unknown): string {
  const text = messageOf(cause);
  const short = text.length > 300 ? `${text.slice(0, 300)}…` : text;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}
