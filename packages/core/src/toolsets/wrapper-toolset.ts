import type { RunContext } from '../context/run-context.ts';
import type { Told, ToolMap, Toolset, ToolsetTool } from './toolset.ts';

/** A toolset around another one. Everything is passed on; extend it to change something on the way. */
export abstract class WrapperToolset<in Deps = unknown> implements Toolset<Deps> {
  readonly wrapped: Toolset<Deps>;
  /** The tools of the last step and what became of them: most steps have the same tools. */
  #last: { readonly inner: ToolMap<Deps>; readonly outer: ToolMap<Deps> } | undefined;

  constructor(wrapped: Toolset<Deps>) {
    this.wrapped = wrapped;
  }

  get id(): string | undefined {
    return this.wrapped.id;
  }

  get label(): string {
    return `${this.constructor.name}(${this.wrapped.label})`;
  }

  /** The same wrapper around another toolset. */
  protected abstract around(wrapped: Toolset<Deps>): Toolset<Deps>;

  /** What becomes of the tools; asked again only when there are others. */
  protected change(tools: ToolMap<Deps>): ToolMap<Deps> {
    return tools;
  }

  getTools(ctx: RunContext<Deps>): ToolMap<Deps> | Promise<ToolMap<Deps>> {
    const tools = this.wrapped.getTools(ctx);
    return tools instanceof Promise
      ? tools.then((inner) => this.#changed(inner))
      : this.#changed(tools);
  }

  getInstructions(ctx: RunContext<Deps>): Told | Promise<Told> {
    return this.wrapped.getInstructions?.(ctx);
  }

  async forRun(ctx: RunContext<Deps>): Promise<Toolset<Deps>> {
    return this.#rewrap((await this.wrapped.forRun?.(ctx)) ?? this.wrapped);
  }

  async forRunStep(ctx: RunContext<Deps>): Promise<Toolset<Deps>> {
    return this.#rewrap((await this.wrapped.forRunStep?.(ctx)) ?? this.wrapped);
  }

  async open(): Promise<void> {
    await this.wrapped.open?.();
  }

  async close(): Promise<void> {
    await this.wrapped.close?.();
  }

  #rewrap(wrapped: Toolset<Deps>): Toolset<Deps> {
    return wrapped === this.wrapped ? this : this.around(wrapped);
  }

  #changed(inner: ToolMap<Deps>): ToolMap<Deps> {
    if (this.#last?.inner !== inner) this.#last = { inner, outer: this.change(inner) };
    return this.#last.outer;
  }
}

/** Tools with each one changed; the result is by the new names. */
export function mapTools<Deps>(
  tools: ToolMap<Deps>,
  change: (tool: ToolsetTool<Deps>) => ToolsetTool<Deps>,
): ToolMap<Deps> {
  const changed = new Map<string, ToolsetTool<Deps>>();
  for (const tool of tools.values()) {
    const now = change(tool);
    changed.set(now.definition.name, now);
  }
  return changed;
}
