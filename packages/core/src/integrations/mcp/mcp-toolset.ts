import type { RunContext } from '../../context/run-context.ts';
import { traceparentOf } from '../../context/traceparent.ts';
import { InvalidJsonError } from '../../errors/user-errors.ts';
import { invariant } from '../../internal/invariant.ts';
import { isThrown } from '../../errors/thrown.ts';
import type { Permit } from '../../tools/permit.ts';
import { ModelRetry } from '../../tools/signals.ts';
import { matchesToolSelector } from '../../tools/tool-selector.ts';
import { AbstractToolset } from '../../toolsets/abstract-toolset.ts';
import type { ToolMap } from '../../toolsets/toolset.ts';
import { McpServerError } from './connection.ts';
import {
  checkMcpOptions,
  type McpProgress,
  type McpToolsetOptions,
  timeoutOfServer,
} from './mcp-options.ts';
import { type ListedTool, type McpRejectedTool, McpTool, type ServerTool } from './mcp-tool.ts';
import { exchange } from './exchange.ts';
import { readMcpResult } from './read-result.ts';
import { type ListedTools, Session } from './session.ts';

/** `unapproved` if calls require approval. */
type ApprovalKind = 'function' | 'unapproved';

/** The tools of a step, made from a server's list. */
interface StepTools<Deps> {
  readonly listed: ListedTools;
  readonly kinds: readonly ApprovalKind[];
  readonly tools: ToolMap<Deps>;
}

/**
 * A toolset with the tools of an MCP server. `mcpStdio` and `mcpHttp` create one for the usual transports.
 *
 * Every call requires approval, unless an option exempts it. One instance serves any number of concurrent
 * runs over one connection, which exists while the toolset is open.
 */
export class McpToolset<in Deps = unknown> extends AbstractToolset<Deps> {
  readonly #options: McpToolsetOptions<Deps>;
  readonly #session: Session;
  /** The tools of the last step, which most steps reuse. */
  #stepTools: StepTools<Deps> | undefined;

  constructor(options: McpToolsetOptions<Deps>) {
    super();
    checkMcpOptions('McpToolset', options, { endpoint: 'string', transport: 'function' });
    const { id, endpoint, transport } = options;
    this.#options = options;
    const { protocol = 'auto' } = options;
    const timeout = timeoutOfServer(options);
    this.#session = new Session({ id, endpoint, transport, timeout, protocol });
  }

  override get id(): string {
    return this.#options.id;
  }

  get label(): string {
    return `MCP server \`${this.id}\``;
  }

  /** The tools of the server's last list that cannot be used, with the reasons. */
  get rejectedTools(): readonly McpRejectedTool[] {
    return this.#session.rejected;
  }

  /** Connects to the server. */
  open(): Promise<void> {
    return this.#session.open();
  }

  /** Closes the connection, and stops a server that was started for it. */
  close(): Promise<void> {
    return this.#session.close();
  }

  /** Returns the server's instructions, if `includeInstructions` is set. */
  async getInstructions(): Promise<string | undefined> {
    if (!this.#options.includeInstructions) return undefined;
    return (await this.#session.connection()).instructions;
  }

  /** Returns the tools that the server lists. Connects again if the connection was lost. */
  async getTools(ctx: RunContext<Deps>): Promise<ToolMap<Deps>> {
    const { tools: listed } = await this.#session.listing();
    const last = this.#stepTools?.listed === listed ? this.#stepTools : undefined;
    // Only a function can select other tools from the same list.
    if (last !== undefined && typeof this.#options.withoutApproval !== 'function') {
      return last.tools;
    }
    const kinds: ApprovalKind[] = [];
    for (const tool of listed.values()) kinds.push(await this.#kindOf(tool, ctx));
    if (last?.kinds.every((kind, index) => kind === kinds[index])) return last.tools;
    const tools = this.#toolsOf(listed, kinds);
    this.#stepTools = { listed, kinds, tools };
    return tools;
  }

  #toolsOf(listed: ListedTools, kinds: readonly ApprovalKind[]): ToolMap<Deps> {
    const { maxRetries } = this.#options;
    const call = this.#call.bind(this);
    const tools = [...listed].map(([name, tool], index): [string, McpTool<Deps>] => {
      const kind = invariant(kinds[index], 'every listed tool has a kind');
      return [name, new McpTool(tool, { kind, maxRetries, call })];
    });
    return new Map(tools);
  }

  /** Exempts a tool from approval if the application selects it, or trusts the server that marks it. */
  async #kindOf({ tool, definition }: ListedTool, ctx: RunContext<Deps>): Promise<ApprovalKind> {
    const { trustReadOnlyHints, withoutApproval } = this.#options;
    if (trustReadOnlyHints && isMarkedReadOnly(tool)) return 'function';
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
        `The tool \`${name}\` changed after the model received it. The call was not executed.`,
      );
    }
    const { toolCallId } = call;
    const send = (continuation?: object) =>
      connection.callTool(name, args, {
        toolCallId,
        traceparent: traceparentOf(ctx),
        continuation,
        signal: ctx.signal,
        onprogress: ({ progress, total, message }) => {
          this.#reportProgress({ toolName: name, toolCallId, progress, total, message }, ctx);
        },
      });
    try {
      const response = await exchange(this.id, send, ctx);
      return readMcpResult(response, call);
    } catch (cause) {
      if (!isThrown(cause, InvalidJsonError)) throw cause;
      throw new McpServerError(
        `${this.label} sent an invalid result for the call of \`${name}\`: ${cause.message} ` +
          'The call was executed. Check its effect before you repeat it.',
        { serverId: this.id, problem: 'invalid', toolCallId, cause },
      );
    }
  }

  #reportProgress(progress: McpProgress, ctx: RunContext<Deps>): void {
    try {
      this.#options.onProgress?.(Object.freeze(progress), ctx);
    } catch {
      // An observer must not affect the call.
    }
  }
}

/** Returns true if the server marks the tool as read-only, and not also as destructive. */
function isMarkedReadOnly({ annotations }: ServerTool): boolean {
  return annotations?.['readOnlyHint'] === true && annotations['destructiveHint'] !== true;
}
