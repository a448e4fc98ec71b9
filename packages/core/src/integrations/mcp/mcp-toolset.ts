import type { RunContext } from '../../context/run-context.ts';
import { InvalidJsonError } from '../../errors/user-errors.ts';
import { isThrown } from '../../errors/thrown.ts';
import type { Permit } from '../../tools/permit.ts';
import { ModelRetry } from '../../tools/signals.ts';
import { matchesToolSelector } from '../../tools/tool-selector.ts';
import { AbstractToolset } from '../../toolsets/abstract-toolset.ts';
import type { ToolMap } from '../../toolsets/toolset.ts';
import {
  checkedTimeout,
  checkMcpOptions,
  type McpProgress,
  type McpToolsetOptions,
} from './mcp-options.ts';
import { McpServerError } from './mcp-server-error.ts';
import { type ListedTool, McpTool } from './mcp-tool.ts';
import { readResult } from './read-result.ts';
import type { McpRejectedTool, ServerTool } from './read-tools.ts';
import { type ListedTools, Session } from './session.ts';

/** Whether calls run, or have to be approved first. */
type Kind = 'function' | 'unapproved';

/** What a step gets for the tools that a server lists. */
interface Offer<Deps> {
  readonly listed: ListedTools;
  readonly kinds: readonly Kind[];
  readonly tools: ToolMap<Deps>;
}

/**
 * The tools of an MCP server. `mcpStdio` and `mcpHttp` make one for the usual ways to reach a server.
 *
 * Every call has to be approved, unless the options say otherwise. One instance serves any number of
 * runs at once over one connection, which is there while somebody has the toolset open.
 */
export class McpToolset<in Deps = unknown> extends AbstractToolset<Deps> {
  readonly #options: McpToolsetOptions<Deps>;
  readonly #session: Session;
  /** The last one: most steps have the same. */
  #offer: Offer<Deps> | undefined;

  constructor(options: McpToolsetOptions<Deps>) {
    super();
    checkMcpOptions('McpToolset', options, { endpoint: 'string', transport: 'function' });
    const { id, endpoint, transport } = options;
    this.#options = options;
    this.#session = new Session({ id, endpoint, transport, timeout: checkedTimeout(options) });
  }

  override get id(): string {
    return this.#options.id;
  }

  get label(): string {
    return `MCP server '${this.id}'`;
  }

  /** Tools that the server listed last and that cannot be used, and why. */
  get rejectedTools(): readonly McpRejectedTool[] {
    return this.#session.refused;
  }

  /** Connects to the server. */
  open(): Promise<void> {
    return this.#session.open();
  }

  /** Ends the connection, and stops a server that was started for it. */
  close(): Promise<void> {
    return this.#session.close();
  }

  /** What the server tells the model, if the options let it. */
  async getInstructions(): Promise<string | undefined> {
    if (!this.#options.includeInstructions) return undefined;
    return (await this.#session.connection()).instructions;
  }

  /** The tools that the server lists; a connection that was lost is made again. */
  async getTools(ctx: RunContext<Deps>): Promise<ToolMap<Deps>> {
    const { tools: listed } = await this.#session.listing();
    const last = this.#offer?.listed === listed ? this.#offer : undefined;
    // Only a function can come to something else for the same tools.
    if (last !== undefined && typeof this.#options.withoutApproval !== 'function') {
      return last.tools;
    }
    const kinds: Kind[] = [];
    for (const tool of listed.values()) kinds.push(await this.#kindOf(tool, ctx));
    if (last?.kinds.every((kind, index) => kind === kinds[index])) return last.tools;
    const tools = this.#toolsOf(listed, kinds);
    this.#offer = { listed, kinds, tools };
    return tools;
  }

  #toolsOf(listed: ListedTools, kinds: readonly Kind[]): ToolMap<Deps> {
    const { maxRetries } = this.#options;
    const call = this.#call.bind(this);
    const tools = [...listed].map(([name, tool], index): [string, McpTool<Deps>] => {
      // There is a kind for each tool.
      return [name, new McpTool(tool, { kind: kinds[index]!, maxRetries, call })];
    });
    return new Map(tools);
  }

  /** Calls run without approval only if the application says so, or trusts the server that does. */
  async #kindOf({ tool, definition }: ListedTool, ctx: RunContext<Deps>): Promise<Kind> {
    const { trustReadOnlyHints, withoutApproval } = this.#options;
    if (trustReadOnlyHints && saysReadOnly(tool)) return 'function';
    if (withoutApproval === undefined) return 'unapproved';
    return (await matchesToolSelector(withoutApproval, ctx, definition))
      ? 'function'
      : 'unapproved';
  }

  async #call(
    listed: ListedTool,
    { call, args }: Pick<Permit, 'call' | 'args'>,
    ctx: RunContext<Deps>,
  ): Promise<unknown> {
    const { name, version } = listed.definition;
    const { connection, tools } = await this.#session.listing();
    if (tools.get(name)?.definition.version !== version) {
      throw new ModelRetry(
        `The tool '${name}' has changed since it was offered; nothing was done.`,
      );
    }
    const { toolCallId } = call;
    const answer = await connection.callTool(name, args, {
      toolCallId,
      signal: ctx.signal,
      onprogress: ({ progress, total, message }) => {
        this.#tell({ toolName: name, toolCallId, progress, total, message }, ctx);
      },
    });
    try {
      return readResult(answer, call);
    } catch (cause) {
      if (!isThrown(cause, InvalidJsonError)) throw cause;
      throw new McpServerError(
        `${this.label} answered the call of '${name}' with something that is no result: ` +
          `${cause.message} The call was made: look before you repeat it.`,
        { serverId: this.id, problem: 'invalid', toolCallId, cause },
      );
    }
  }

  #tell(progress: McpProgress, ctx: RunContext<Deps>): void {
    try {
      this.#options.onProgress?.(Object.freeze(progress), ctx);
    } catch {
      // Whoever watches a call has no say in how it ends.
    }
  }
}

/** Whether the server says that the tool changes nothing, and does not say the opposite as well. */
function saysReadOnly({ annotations }: ServerTool): boolean {
  return annotations?.['readOnlyHint'] === true && annotations['destructiveHint'] !== true;
}
