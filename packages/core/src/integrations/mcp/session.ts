import { UserError } from '../../errors/user-errors.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { fingerprint } from './fingerprint.ts';
import { type ListedTool, listedTool } from './mcp-tool.ts';
import { readTools, type McpRejectedTool, type ServerTool } from './read-tools.ts';

/** The tools of a server by name; the same object as long as the server lists the same. */
export type ListedTools = ReadonlyMap<string, ListedTool>;

/** A listing that was asked for. */
interface Listing {
  readonly connection: Connection;
  /** The connection's count of changes when it was asked. */
  readonly listChanges: number;
  readonly tools: Promise<ListedTools>;
}

/** What the server listed last. */
interface Known {
  /** All of it as text. */
  readonly text: string;
  readonly tools: ListedTools;
  readonly refused: readonly McpRejectedTool[];
}

/** Our side of a server: one connection at a time, and what the server lists. */
export class Session {
  readonly #options: ConnectionOptions & { readonly endpoint: string };
  #isOpen = false;
  #connecting: Promise<Connection> | undefined;
  #listing: Listing | undefined;
  #known: Known | undefined;
  /** Connections that were lost, until the last of their calls is over. */
  readonly #retired = new Set<Connection>();

  constructor(options: ConnectionOptions & { readonly endpoint: string }) {
    this.#options = options;
  }

  /** What the server listed last that cannot be used. */
  get refused(): readonly McpRejectedTool[] {
    return this.#known?.refused ?? [];
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

  /** Ends every connection. What is known of the server stays, to be compared with next time. */
  async close(): Promise<void> {
    this.#isOpen = false;
    const last = await this.#connecting?.catch(() => undefined);
    this.#connecting = undefined;
    this.#listing = undefined;
    for (const connection of this.#retired) await connection.close();
    await last?.close();
  }

  /** The connection; another one if it was lost. */
  async connection(): Promise<Connection> {
    const connecting = this.#connect();
    const connection = await connecting;
    if (!connection.isLost) return connection;
    if (this.#connecting === connecting) {
      this.#connecting = undefined;
      this.#retired.add(connection);
      void connection.retire().then(() => this.#retired.delete(connection));
    }
    // Once: a server that is gone as soon as it is there is not started for ever.
    return this.#connect();
  }

  #connect(): Promise<Connection> {
    if (!this.#isOpen) {
      return Promise.reject(
        new UserError(
          `MCP server '${this.#options.id}' is not open. Agents and runs open the toolsets that they are given.`,
        ),
      );
    }
    if (this.#connecting === undefined) {
      const connecting = Connection.open(this.#options);
      this.#connecting = connecting;
      connecting.catch(() => {
        // The next one tries again.
        if (this.#connecting === connecting) this.#connecting = undefined;
      });
    }
    return this.#connecting;
  }

  /** What the server lists, asked for again after a change and on a new connection. */
  async listing(): Promise<{ readonly connection: Connection; readonly tools: ListedTools }> {
    const connection = await this.connection();
    const { listChanges } = connection;
    let listing = this.#listing;
    if (listing?.connection !== connection || listing.listChanges !== listChanges) {
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
    const { tools, refused } = readTools(await connection.listTools());
    const text = JSON.stringify([connection.server, tools, refused]);
    if (this.#known?.text === text) return this.#known.tools;
    const listed = new Map<string, ListedTool>();
    for (const tool of tools) listed.set(tool.name, await this.#identify(tool, connection));
    this.#known = { text, tools: listed, refused };
    return listed;
  }

  /** Ties a tool to its server: the same tool of another server is another tool. */
  async #identify(tool: ServerTool, { server }: Connection): Promise<ListedTool> {
    const { id, endpoint } = this.#options;
    // Without `_meta`, which may be another one each time.
    const { name, title, description, inputSchema, outputSchema, annotations } = tool;
    const version = await fingerprint([
      [server.name, server.version, endpoint],
      [name, title ?? null, description ?? null],
      [inputSchema, outputSchema ?? null, annotations ?? null],
    ]);
    return listedTool(tool, { id, ...server }, version);
  }
}
