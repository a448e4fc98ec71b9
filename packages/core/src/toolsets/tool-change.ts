import { Context } from '../context/context.ts';
import type { RunContext } from '../context/run-context.ts';
import { isAlwaysDeferred, type ToolDefinition } from '../models/tool-definition.ts';
import type { SchemaValidation } from '../tools/input-schema.ts';
import type { Permit } from '../tools/permit.ts';
import {
  matchesToolSelector,
  requireToolSelector,
  type ToolSelector,
} from '../tools/tool-selector.ts';
import type { ToolMap, ToolsetTool } from './toolset.ts';

/**
 * A tool with another definition. The context of the inner tool has the name that the inner toolset
 * gave it, except in its validator: a call is validated under the name that the model knows.
 *
 * A tool whose calls are always deferred stays so, regardless of the new definition.
 */
export class WrappedTool<in Deps> implements ToolsetTool<Deps> {
  readonly inner: ToolsetTool<Deps>;
  readonly definition: ToolDefinition;

  constructor(inner: ToolsetTool<Deps>, definition: ToolDefinition) {
    this.inner = inner;
    const wouldExecute = isAlwaysDeferred(inner.definition) && !isAlwaysDeferred(definition);
    this.definition = wouldExecute
      ? Object.freeze({ ...definition, kind: inner.definition.kind })
      : definition;
  }

  get executor(): object {
    return this.inner.executor;
  }

  get maxRetries(): number | undefined {
    return this.inner.maxRetries;
  }

  check(args: unknown): SchemaValidation<unknown> | Promise<SchemaValidation<unknown>> {
    return this.inner.check(args);
  }

  validate(args: unknown, ctx: RunContext<Deps>): void | Promise<void> {
    return this.inner.validate(args, ctx);
  }

  needsApproval(args: unknown, ctx: RunContext<Deps>): boolean | Promise<boolean> {
    return this.inner.needsApproval(args, contextForTool(ctx, this.inner.definition.name));
  }

  preview(args: unknown, ctx: RunContext<Deps>): unknown {
    return this.inner.preview?.(args, contextForTool(ctx, this.inner.definition.name));
  }

  execute(permit: Permit, ctx: RunContext<Deps>): unknown {
    return this.inner.execute(permit, contextForTool(ctx, this.inner.definition.name));
  }
}

/** Returns the context for a toolset that has the tool under `name`. */
function contextForTool<Deps>(ctx: RunContext<Deps>, name: string): RunContext<Deps> {
  return ctx.toolName !== name && ctx instanceof Context ? ctx.renamed(name) : ctx;
}

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
