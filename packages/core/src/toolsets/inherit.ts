import { Context } from '../context/context.ts';
import type { RunContext } from '../context/run-context.ts';
import { checkOptions } from '../errors/check-options.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import type { Permit } from '../tools/permit.ts';
import { AbstractToolset, WrapperToolset } from './abstract-toolset.ts';
import type { Delegation, ToolMap, Toolset, ToolsetTool } from './toolset.ts';
import { WrappedTool } from './wrapped-tool.ts';

/**
 * The toolset that the delegating run has under this id, for the toolsets of a sub-agent.
 *
 * The toolset itself decides, in `forSubAgent`, what the sub-agent gets; with `share` it is the very
 * instance of the delegating run. Forms such as `approvalRequired()` come along. Its tools are given
 * the deps of the delegating run, which they were written for.
 *
 * @example
 * const researcher = new Agent({ model, toolsets: [inherit('browser')] })
 */
export function inherit(
  id: string,
  options: { readonly share?: boolean | undefined } = {},
): AbstractToolset {
  if (typeof id !== 'string') {
    throw new UserError(`The id of \`inherit\` is ${showValue(id)}. Pass the id of a toolset.`);
  }
  checkOptions('`inherit`', options, { share: 'boolean' });
  return new InheritedToolset(id, options.share ?? false);
}

/** Stands for a toolset of the delegating run until there is one. */
class InheritedToolset extends AbstractToolset {
  readonly #id: string;
  readonly #share: boolean;

  constructor(id: string, share: boolean) {
    super();
    this.#id = id;
    this.#share = share;
  }

  get label(): string {
    return `inherit('${this.#id}')`;
  }

  /** What the delegating run has, or what that makes of itself for the sub-agent. */
  async forSubAgent(delegation: Delegation): Promise<Toolset> {
    const found = delegation.findToolset(this.#id);
    if (found === undefined) {
      throw new UserError(
        `${this.label} finds nothing: the run that delegates has no toolset with the id '${this.#id}'. ` +
          'Give one of its toolsets this id.',
      );
    }
    const given = this.#share ? found : ((await found.forSubAgent?.(delegation)) ?? found);
    // It is handed the deps of its own run, and so asks nothing of the sub-agent's.
    return new SharedDepsToolset(given as Toolset, delegation.parent.deps);
  }

  /** Without a run that delegates there is nothing to inherit. */
  forRun(): never {
    throw new UserError(
      `${this.label} has no run to inherit from. Use the agent with asTool(), or give its run parent: ctx; and put ` +
        'inherit() among the toolsets itself: what a function there gives is not asked to inherit.',
    );
  }

  getTools(): ToolMap {
    return this.forRun();
  }
}

/** What was inherited. It is used as it was given, and not made anew for the run. */
class SharedDepsToolset extends WrapperToolset {
  readonly #deps: unknown;
  #last: { readonly inner: ToolMap; readonly outer: ToolMap } | undefined;

  constructor(wrapped: Toolset, deps: unknown) {
    super(wrapped);
    this.#deps = deps;
  }

  override get label(): string {
    return this.wrapped.label;
  }

  override async forRun(): Promise<Toolset> {
    return this;
  }

  override forRunStep(ctx: RunContext): Promise<Toolset> {
    return super.forRunStep(withDeps(ctx, this.#deps));
  }

  override getInstructions(ctx: RunContext): string | undefined | Promise<string | undefined> {
    return super.getInstructions(withDeps(ctx, this.#deps));
  }

  override async getTools(ctx: RunContext): Promise<ToolMap> {
    const inner = await super.getTools(withDeps(ctx, this.#deps));
    if (this.#last?.inner !== inner) {
      const outer = new Map<string, ToolsetTool>();
      for (const [name, tool] of inner) outer.set(name, new SharedDepsTool(tool, this.#deps));
      this.#last = { inner, outer };
    }
    return this.#last.outer;
  }

  protected override wrap(wrapped: Toolset): Toolset {
    return new SharedDepsToolset(wrapped, this.#deps);
  }
}

/** A tool of the delegating run, with the deps of that run. */
class SharedDepsTool extends WrappedTool<unknown> {
  readonly #deps: unknown;

  constructor(inner: ToolsetTool, deps: unknown) {
    super(inner, inner.definition);
    this.#deps = deps;
  }

  override validate(args: unknown, ctx: RunContext): void | Promise<void> {
    return super.validate(args, withDeps(ctx, this.#deps));
  }

  override needsApproval(args: unknown, ctx: RunContext): boolean | Promise<boolean> {
    return super.needsApproval(args, withDeps(ctx, this.#deps));
  }

  override preview(args: unknown, ctx: RunContext): unknown {
    return super.preview(args, withDeps(ctx, this.#deps));
  }

  override execute(permit: Permit, ctx: RunContext): unknown {
    return super.execute(permit, withDeps(ctx, this.#deps));
  }
}

function withDeps(ctx: RunContext, deps: unknown): RunContext {
  return ctx instanceof Context ? ctx.withDeps(deps) : ctx;
}
