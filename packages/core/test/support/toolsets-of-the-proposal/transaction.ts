import { AbstractToolset, FunctionToolset, type RunContext, type Toolset, tool } from 'holdpoint';
import type { ToolMap } from 'holdpoint/toolsets';
import { z } from 'zod';

/** A database with connections. Uncommitted changes are visible only in their connection. */
export class Database {
  readonly #committed = new Map<string, string>();
  /** The number of connections in use, and its maximum. */
  inUse = 0;
  maxInUse = 0;

  get rows(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#committed);
  }

  connect(): Connection {
    this.inUse += 1;
    this.maxInUse = Math.max(this.maxInUse, this.inUse);
    return new Connection(this.#committed, () => {
      this.inUse -= 1;
    });
  }
}

/** A connection with one transaction at a time. Closing it discards uncommitted changes. */
class Connection {
  readonly #committed: Map<string, string>;
  readonly #release: () => void;
  #changes = new Map<string, string>();

  constructor(committed: Map<string, string>, release: () => void) {
    this.#committed = committed;
    this.#release = release;
  }

  put(key: string, value: string): void {
    this.#changes.set(key, value);
  }

  get(key: string): string {
    return this.#changes.get(key) ?? this.#committed.get(key) ?? 'nothing';
  }

  commit(): void {
    for (const [key, value] of this.#changes) this.#committed.set(key, value);
    this.#changes = new Map();
  }

  release(): void {
    this.#changes = new Map();
    this.#release();
  }
}

/** The transaction of a sub-agent: that of the outer run, or its own. */
export type TransactionOfSubAgents = 'shared' | 'own';

/** A transaction on a database. An option determines the transaction of a sub-agent. */
export class TransactionToolset extends AbstractToolset {
  readonly #database: Database;
  readonly #subAgents: TransactionOfSubAgents;
  readonly #tools: FunctionToolset;
  #connection: Connection | undefined;

  constructor(database: Database, options: { readonly subAgents: TransactionOfSubAgents }) {
    super();
    this.#database = database;
    this.#subAgents = options.subAgents;
    const put = tool({
      name: 'put',
      inputSchema: z.object({ key: z.string(), value: z.string() }),
      execute: ({ key, value }) => this.#open().put(key, value),
    });
    const get = tool({
      name: 'get',
      inputSchema: z.object({ key: z.string() }),
      execute: ({ key }) => this.#open().get(key),
    });
    const commit = tool({ name: 'commit', execute: () => this.#open().commit() });
    this.#tools = new FunctionToolset([put, get, commit]);
  }

  override get id(): string {
    return 'transaction';
  }

  get label(): string {
    return 'the transaction';
  }

  /** Returns this transaction or a new one. */
  forSubAgent(): Toolset {
    if (this.#subAgents === 'shared') return this;
    return new TransactionToolset(this.#database, { subAgents: this.#subAgents });
  }

  async open(): Promise<void> {
    this.#connection = this.#database.connect();
  }

  async close(): Promise<void> {
    this.#connection?.release();
    this.#connection = undefined;
  }

  getTools(ctx: RunContext): ToolMap | Promise<ToolMap> {
    return this.#tools.getTools(ctx);
  }

  #open(): Connection {
    if (this.#connection === undefined) throw new Error('There is no connection.');
    return this.#connection;
  }
}
