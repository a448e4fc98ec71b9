import type { RunContext } from '../context/run-context.ts';
import { requireFunction } from '../errors/check-options.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import { requireDecision } from '../tools/approval-decision.ts';
import { noteConsulted, requireConsulted } from '../tools/consulted.ts';
import type { Permit } from '../tools/permit.ts';
import { changeEach, type ToolChange } from './tool-change.ts';
import type { ToolsetTool } from './toolset.ts';
import { WrappedTool } from './wrapped-tool.ts';

/** Decides whether a call has to be approved, from the context, the tool and the validated arguments. */
export type ApprovalPolicy<in Deps = unknown> = (
  ctx: RunContext<Deps>,
  definition: ToolDefinition,
  args: unknown,
) => boolean | Promise<boolean>;

/** Has calls approved before they run: all of them, or those that a policy picks. */
export function approvalRequired<Deps>(
  policy: ApprovalPolicy<Deps> = () => true,
): ToolChange<Deps> {
  requireFunction('The policy of `approvalRequired`', policy);
  return changeEach('approvalRequired', (tool) => new GuardedTool(tool, policy));
}

/** A tool whose calls a policy looks at, beside what the tool itself says: it can only get stricter. */
class GuardedTool<in Deps> extends WrappedTool<Deps> {
  readonly #policy: ApprovalPolicy<Deps>;

  constructor(inner: ToolsetTool<Deps>, policy: ApprovalPolicy<Deps>) {
    super(inner, inner.definition);
    this.#policy = policy;
  }

  override async needsApproval(args: unknown, ctx: RunContext<Deps>): Promise<boolean> {
    noteConsulted(ctx, this.#policy);
    if (await super.needsApproval(args, ctx)) return true;
    const decider = `The approval policy for tool \`${this.definition.name}\``;
    return requireDecision(decider, () => this.#policy(ctx, this.definition, args));
  }

  override execute(permit: Permit, ctx: RunContext<Deps>): unknown {
    requireConsulted(ctx, this.#policy);
    return super.execute(permit, ctx);
  }
}
