import type { RunContext } from '../context/run-context.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { ToolMap, Toolset, ToolsetTool } from './toolset.ts';
import { WrappedTool } from './wrapped-tool.ts';
import { mapTools, WrapperToolset } from './wrapper-toolset.ts';

/** Decides whether a call has to be approved, from the context, the tool and the validated arguments. */
export type ApprovalPolicy<in Deps = unknown> = (
  ctx: RunContext<Deps>,
  definition: ToolDefinition,
  args: unknown,
) => boolean | Promise<boolean>;

/** Has calls approved before they run: all of them, or those that a policy picks. */
export class ApprovalRequiredToolset<in Deps = unknown> extends WrapperToolset<Deps> {
  readonly #policy: ApprovalPolicy<Deps>;

  constructor(wrapped: Toolset<Deps>, policy: ApprovalPolicy<Deps> = () => true) {
    super(wrapped);
    this.#policy = policy;
  }

  protected override around(wrapped: Toolset<Deps>): Toolset<Deps> {
    return new ApprovalRequiredToolset(wrapped, this.#policy);
  }

  protected override change(tools: ToolMap<Deps>): ToolMap<Deps> {
    return mapTools(tools, (tool) => new GuardedTool(tool, this.#policy));
  }
}

/** A tool whose calls a policy looks at, beside what the tool itself says: it can only get stricter. */
class GuardedTool<in Deps> extends WrappedTool<Deps> {
  readonly #policy: ApprovalPolicy<Deps>;

  constructor(inner: ToolsetTool<Deps>, policy: ApprovalPolicy<Deps>) {
    super(inner, inner.definition);
    this.#policy = policy;
  }

  override async needsApproval(args: unknown, ctx: RunContext<Deps>): Promise<boolean> {
    return (
      (await super.needsApproval(args, ctx)) || (await this.#policy(ctx, this.definition, args))
    );
  }
}
