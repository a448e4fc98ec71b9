import { Context } from '../context/context.ts';
import type { RunContext } from '../context/run-context.ts';
import { checkOptions } from '../errors/check-options.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import type { Permit } from '../tools/permit.ts';
import { AbstractToolset, WrapperToolset } from './abstract-toolset.ts';
import { WrappedTool } from './tool-change.ts';
import type { Delegation, ToolMap, Toolset, ToolsetTool } from './toolset.ts';

/**
 * Gives a sub-agent the toolset that the parent run has under an id.
 *
 * By default `forSubAgent` of that toolset determines the toolset of the sub-agent. With `share`
 * the sub-agent uses the instance of the parent run. Changes such as `approvalRequired()` apply.
 * The tools receive the deps of the parent run.
 *
 * @example const researcher = new Agent({ model, toolsets: [inherit('browser')] })
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

/** A placeholder, which the toolset of the parent run replaces. */
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

  /** Returns the toolset of the parent run, or the one that it provides for the sub-agent. */
  async forSubAgent(delegation: Delegation): Promise<Toolset> {
    const found = delegation.findToolset(this.#id);
    if (found === undefined) {
      throw new UserError(
        `\`${this.label}\` failed: the parent run has no toolset with the id \`${this.#id}\`. ` +
          'Set this `id` on one of its toolsets.',
      );
    }
    const given = this.#share ? found : ((await found.forSubAgent?.(delegation)) ?? found);
    // The toolset receives the deps of the parent run, so its type of deps does not matter here.
    return new SharedDepsToolset(given as Toolset, delegation.parent.deps);
  }

  /** Throws, because this toolset is only replaced if a parent run delegates. */
  forRun(): never {
    throw new UserError(
      `\`${this.label}\` has no parent run to inherit from. Use the agent with \`asTool()\`, or pass ` +
        '`parent: ctx` to its run. Pass `inherit()` directly in `toolsets`, not from a function.',
    );
  }

  getTools(): ToolMap {
    return this.forRun();
  }
}

/** An inherited toolset with the deps of the parent run. It is not replaced for the run. */
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

/** An inherited tool with the deps of the parent run. */
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
