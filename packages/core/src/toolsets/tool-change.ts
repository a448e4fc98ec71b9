import type { RunContext } from '../context/run-context.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import {
  matchesToolSelector,
  requireToolSelector,
  type ToolSelector,
} from '../tools/tool-selector.ts';
import type { ToolMap, ToolsetTool } from './toolset.ts';
import { WrappedTool } from './wrapped-tool.ts';

/** A change to the tools of a toolset. */
export interface ToolChange<in Deps = unknown> {
  /** The name of the change in error messages. */
  readonly name: string;
  /** True if the result can differ for the same tools, so that `apply` is called in every step. */
  readonly perStep: boolean;
  /** Returns the new name of a tool. Missing if only `apply` determines it. */
  readonly nameOf?: ((name: string) => string) | undefined;
  apply(tools: ToolMap<Deps>, ctx: RunContext<Deps>): ToolMap<Deps> | Promise<ToolMap<Deps>>;
}

/** Returns the name of a tool unchanged. */
export const sameName = (name: string): string => name;

/** Changes each tool. The result is keyed by the new names. */
export function changeEach<Deps>(
  name: string,
  change: (tool: ToolsetTool<Deps>) => ToolsetTool<Deps>,
  nameOf: (name: string) => string = sameName,
): ToolChange<Deps> {
  return {
    name,
    perStep: false,
    nameOf,
    apply(tools) {
      const changed = new Map<string, ToolsetTool<Deps>>();
      for (const tool of tools.values()) {
        const now = change(tool);
        changed.set(now.definition.name, now);
      }
      return changed;
    },
  };
}

/** Changes the definitions of the selected tools. */
export function changeSelected<Deps>(
  name: string,
  selector: ToolSelector<Deps>,
  change: (definition: ToolDefinition) => ToolDefinition,
): ToolChange<Deps> {
  requireToolSelector(`The tool selector of \`${name}\``, selector);
  return {
    name,
    perStep: typeof selector === 'function',
    nameOf: sameName,
    async apply(tools, ctx) {
      const changed = new Map<string, ToolsetTool<Deps>>();
      for (const [toolName, tool] of tools) {
        const picked = await matchesToolSelector(selector, ctx, tool.definition);
        changed.set(toolName, picked ? redefined(tool, change(tool.definition)) : tool);
      }
      return changed;
    },
  };
}

/** Returns a tool with another definition. */
export function redefined<Deps>(
  tool: ToolsetTool<Deps>,
  definition: ToolDefinition,
): ToolsetTool<Deps> {
  return new WrappedTool(tool, Object.freeze(definition));
}
