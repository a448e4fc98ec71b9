import type { RunContext } from '../context/run-context.ts';
import { UserError } from '../errors/user-error.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolMap, Toolset, ToolsetTool } from './toolset.ts';

/** Tools as a list, or by name. */
export type Tools<Deps> = readonly Tool<Deps>[] | Readonly<Record<string, Tool<Deps>>>;

/** The tools of functions: what `tool()` makes. */
export class FunctionToolset<in Deps = unknown> implements Toolset<Deps> {
  readonly #entries: ReadonlyMap<string, FunctionTool<Deps>>;
  /** Whether a tool can look different from step to step. */
  readonly #prepared: boolean;

  constructor(tools: Tools<Deps>) {
    const entries = new Map<string, FunctionTool<Deps>>();
    for (const [name, tool] of namedTools(tools)) {
      if (entries.has(name)) {
        throw new UserError(`There are two tools named '${name}'. Rename one of them.`);
      }
      entries.set(name, new FunctionTool(tool, tool.definitionAs(name)));
    }
    this.#entries = entries;
    this.#prepared = [...entries.values()].some((entry) => entry.tool.prepare !== undefined);
  }

  getTools(ctx: RunContext<Deps>): ToolMap<Deps> | Promise<ToolMap<Deps>> {
    return this.#prepared ? this.#prepare(ctx) : this.#entries;
  }

  async #prepare(ctx: RunContext<Deps>): Promise<ToolMap<Deps>> {
    const tools = new Map<string, FunctionTool<Deps>>();
    for (const entry of this.#entries.values()) {
      const { tool, definition } = entry;
      const prepared = tool.prepare ? await tool.prepare(ctx, definition) : definition;
      if (prepared === undefined || prepared === null) continue;
      if (tools.has(prepared.name)) {
        throw new UserError(
          `Preparing tool '${definition.name}' gave it the name '${prepared.name}', which another tool has.`,
        );
      }
      tools.set(prepared.name, prepared === definition ? entry : new FunctionTool(tool, prepared));
    }
    return tools;
  }
}

/** A tool with its definition of one step. */
class FunctionTool<in Deps> implements ToolsetTool<Deps> {
  readonly tool: Tool<Deps>;
  readonly definition: ToolDefinition;

  constructor(tool: Tool<Deps>, definition: ToolDefinition) {
    this.tool = tool;
    this.definition = definition;
  }

  get maxRetries(): number | undefined {
    return this.tool.maxRetries;
  }

  check(args: unknown): ReturnType<Tool<Deps>['check']> {
    return this.tool.check(args);
  }

  validate(args: unknown, ctx: RunContext<Deps>): void | Promise<void> {
    return this.tool.validate(args, ctx);
  }

  execute(permit: Parameters<Tool<Deps>['execute']>[0], ctx: RunContext<Deps>): unknown {
    return this.tool.execute(permit, ctx);
  }
}

function namedTools<Deps>(tools: Tools<Deps>): [string, Tool<Deps>][] {
  if (!isList(tools)) return Object.entries(tools);
  return tools.map((tool, index) => {
    if (tool.name === undefined) {
      throw new UserError(
        `The tool at position ${index} has no name. Name it, or give the tools as a record: the keys are the names.`,
      );
    }
    return [tool.name, tool];
  });
}

function isList<Deps>(tools: Tools<Deps>): tools is readonly Tool<Deps>[] {
  return Array.isArray(tools);
}
