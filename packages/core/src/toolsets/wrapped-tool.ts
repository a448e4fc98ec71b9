import { Context } from '../context/context.ts';
import type { RunContext } from '../context/run-context.ts';
import { isAlwaysDeferred, type ToolDefinition } from '../models/tool-definition.ts';
import type { SchemaValidation } from '../tools/input-schema.ts';
import type { Permit } from '../tools/permit.ts';
import type { ToolsetTool } from './toolset.ts';

/**
 * A tool with another definition. The context of the inner tool has the name that the inner toolset gave it.
 *
 * A tool whose calls are always deferred stays so, whatever the new definition states.
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
    return this.inner.validate(args, contextForTool(ctx, this.inner.definition.name));
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
