import { UserError } from '../../errors/user-errors.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import {
  fingerprint,
  type ListedTool,
  listedTool,
  type McpRejectedTool,
  readTools,
  type ServerTool,
} from './mcp-tool.ts';

/** The tools of a server by name. The same object is reused while the list does not change. */
export type ListedTools = ReadonlyMap<string, ListedTool>;

/** A requested list of tools. */
interface Listing {
  readonly connection: Connection;
  /** The value of `listChanges` of the connection at the time of the request. */
  readonly listChanges: number;
  readonly tools: Promise<ListedTools>;
}

/** The server's last list. */
interface LastList {
  /** The whole list as text, to detect changes. */
  readonly text: string;
  readonly tools: ListedTools;
  readonly rejected: readonly McpRejectedTool[];
}

/** Connects to a server, one connection at a time, and lists its tools. */
export class Session {
  readonly #options: ConnectionOptions & { readonly endpoint: string };
  #isOpen = false;
  #connecting: Promise<Connection> | undefined;
  #listing: Listing | undefined;
  #lastList: LastList | undefined;
  /** True if the server has stated that it does not support the newest revision. It receives no further request for its revisions. */
  #isOfEarlierRevision = false;
  /** Lost connections with calls in progress. */
  readonly #retired = new Set<Connection>();

  constructor(options: ConnectionOptions & { readonly endpoint: string }) {
    this.#options = options;
  }

  /** The tools of the last list that cannot be used. */
  get rejected(): readonly McpRejectedTool[] {
    return this.#lastList?.rejected ?? [];
  }

  async open(): Promise<void> {
    this.#isOpen = true;
    try {
      await this.connection();
    } catch (error) {
      this.#isOpen = false;
      throw error;
    }
  }

  /** Closes every connection. Keeps the last list, to compare it with the next one. */
  async close(): Promise<void> {
    this.#isOpen = false;
    const last = await this.#connecting?.catch(() => undefined);
    this.#connecting = undefined;
    this.#listing = undefined;
    for (const connection of this.#retired) await connection.close();
    await last?.close();
  }

  /** Returns the connection, or a new one if it was lost. */
  async connection(): Promise<Connection> {
    const connecting = this.#connect();
    const connection = await connecting;
    if (!connection.isLost) return connection;
    if (this.#connecting === connecting) {
      this.#connecting = undefined;
      this.#retired.add(connection);
      void connection.retire().then(() => this.#retired.delete(connection));
    }
    // Tries only once, because a server that exits immediately would be started again and again.
    return this.#connect();
  }

  #connect(): Promise<Connection> {
    if (!this.#isOpen) {
      return Promise.reject(
        new UserError(
          `MCP server \`${this.#options.id}\` is not open, so its tools are unavailable. Pass the toolset to an agent or a run, which opens it.`,
        ),
      );
    }
    if (this.#connecting === undefined) {
      const connecting = this.#openConnection();
      this.#connecting = connecting;
      connecting.catch(() => {
        // The next call tries again.
        if (this.#connecting === connecting) this.#connecting = undefined;
      });
    }
    return this.#connecting;
  }

  async #openConnection(): Promise<Connection> {
    const isKnown = this.#isOfEarlierRevision;
    // If this fails, the server may have been replaced, so the next connection requests its revisions again.
    this.#isOfEarlierRevision = false;
    const protocol = isKnown ? 'legacy' : this.#options.protocol;
    const connection = await Connection.open({ ...this.#options, protocol });
    this.#isOfEarlierRevision = isKnown || connection.isOfEarlierRevision;
    return connection;
  }

  /** Returns the server's tools. Lists them again after a change and on a new connection. */
  async listing(): Promise<{ readonly connection: Connection; readonly tools: ListedTools }> {
    const connection = await this.connection();
    const { listChanges } = connection;
    let listing = this.#listing;
    const isCurrent = listing?.connection === connection && listing.listChanges === listChanges;
    if (listing === undefined || !isCurrent || connection.isStateless) {
      listing = { connection, listChanges, tools: this.#list(connection) };
      this.#listing = listing;
    }
    try {
      return { connection, tools: await listing.tools };
    } catch (error) {
      if (this.#listing === listing) this.#listing = undefined;
      throw error;
    }
  }

  async #list(connection: Connection): Promise<ListedTools> {
    const { tools, rejected } = readTools(await connection.listTools());
    const text = JSON.stringify([connection.server, tools, rejected]);
    if (this.#lastList?.text === text) return this.#lastList.tools;
    const listed = new Map<string, ListedTool>();
    for (const tool of tools) listed.set(tool.name, await this.#identify(tool, connection));
    this.#lastList = { text, tools: listed, rejected };
    return listed;
  }

  /** Adds a version that covers the tool and its server: an equal tool of another server is another tool. */
  async #identify(tool: ServerTool, { server }: Connection): Promise<ListedTool> {
    const { id, endpoint } = this.#options;
    // Without `_meta`, which can differ in each list.
    const { name, title, description, inputSchema, outputSchema, annotations } = tool;
    const version = await fingerprint([
      [server.name, server.version, endpoint],
      [name, title ?? null, description ?? null],
      [inputSchema, outputSchema ?? null, annotations ?? null],
    ]);
    return listedTool(tool, { id, ...server }, version);
  }
}
