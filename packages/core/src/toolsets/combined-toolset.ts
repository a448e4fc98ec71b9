import type { RunContext } from '../context/run-context.ts';
import { UserError } from '../errors/user-errors.ts';
import { invariant } from '../internal/invariant.ts';
import { joinKnownTools, knownToolsOf, registerKnownTools } from '../tools/known-tools.ts';
import { AbstractToolset } from './abstract-toolset.ts';
import { requireToolsets } from './require-tools.ts';
import {
  closeToolset,
  type Delegation,
  findToolset,
  openToolset,
  type ToolMap,
  type Toolset,
  type ToolsetTool,
} from './toolset.ts';

/** A toolset that combines others. The names of all tools must be unique. */
export class CombinedToolset<in Deps = unknown> extends AbstractToolset<Deps> {
  readonly toolsets: readonly Toolset<Deps>[];
  #last: { readonly inner: readonly ToolMap<Deps>[]; readonly outer: ToolMap<Deps> } | undefined;
  /** The toolsets that this one has opened. */
  #opened: Toolset<Deps>[] = [];

  constructor(toolsets: readonly Toolset<Deps>[]) {
    super();
    requireToolsets('`CombinedToolset`', toolsets, undefined);
    this.toolsets = toolsets;
    registerKnownTools(this, () => joinKnownTools(toolsets.map(knownToolsOf)));
  }

  get label(): string {
    return `CombinedToolset(${this.toolsets.map((toolset) => toolset.label).join(', ')})`;
  }

  async getTools(ctx: RunContext<Deps>): Promise<ToolMap<Deps>> {
    const inner: ToolMap<Deps>[] = [];
    const getting = this.toolsets.map(async (toolset) => toolset.getTools(ctx));
    // Only the first error is thrown. The others must not become unhandled rejections.
    for (const one of getting) one.catch(() => {});
    for (const one of getting) inner.push(await one);
    const last = this.#last;
    if (last?.inner.every((tools, index) => tools === inner[index])) return last.outer;
    const outer = this.#merge(inner);
    this.#last = { inner, outer };
    return outer;
  }

  /** Joins the instructions of all toolsets, in order. */
  async getInstructions(ctx: RunContext<Deps>): Promise<string | undefined> {
    const texts: string[] = [];
    for (const toolset of this.toolsets) {
      const text = await toolset.getInstructions?.(ctx);
      if (text) texts.push(text);
    }
    return texts.length > 0 ? texts.join('\n\n') : undefined;
  }

  /** Combines the toolsets that the parts provide for a sub-agent. */
  forSubAgent(delegation: Delegation): Promise<Toolset<Deps>> {
    return this.#each((toolset) => toolset.forSubAgent?.(delegation));
  }

  /** Combines the toolsets that the parts provide for the run. */
  forRun(ctx: RunContext<Deps>): Promise<Toolset<Deps>> {
    return this.#each((toolset) => toolset.forRun?.(ctx));
  }

  /** Combines the toolsets that the parts provide for the step. */
  async forRunStep(ctx: RunContext<Deps>): Promise<Toolset<Deps>> {
    const changed = await this.#each((toolset) => toolset.forRunStep?.(ctx));
    changed.#opened = this.#opened;
    return changed;
  }

  /** Opens the toolsets in order. If one fails, closes those that are open. */
  async open(): Promise<void> {
    try {
      for (const toolset of this.toolsets) {
        await openToolset(toolset);
        this.#opened.push(toolset);
      }
    } catch (error) {
      // The error of `open` is more important than an error of `close`.
      await this.close().catch(() => {});
      throw error;
    }
  }

  /** Closes the open toolsets in reverse order, all of them even if one fails. */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (const toolset of this.#opened.toReversed()) {
      try {
        await closeToolset(toolset);
      } catch (error) {
        errors.push(error);
      }
    }
    this.#opened = [];
    if (errors.length > 0) throw errors[0];
  }

  override find(id: string): Toolset<never> | undefined {
    for (const toolset of this.toolsets) {
      const found = findToolset(toolset, id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #each(
    replace: (toolset: Toolset<Deps>) => Toolset<Deps> | Promise<Toolset<Deps>> | undefined,
  ): Promise<CombinedToolset<Deps>> {
    const toolsets: Toolset<Deps>[] = [];
    for (const toolset of this.toolsets) toolsets.push((await replace(toolset)) ?? toolset);
    return this.#with(toolsets);
  }

  #with(toolsets: readonly Toolset<Deps>[]): CombinedToolset<Deps> {
    const same = toolsets.every((toolset, index) => toolset === this.toolsets[index]);
    return same ? this : combine(toolsets);
  }

  #merge(inner: readonly ToolMap<Deps>[]): ToolMap<Deps> {
    const merged = new Map<string, ToolsetTool<Deps>>();
    const owners = new Map<string, string>();
    for (const [index, tools] of inner.entries()) {
      const { label } = invariant(this.toolsets[index], 'every map is from a toolset');
      for (const [name, tool] of tools) {
        const owner = owners.get(name);
        if (owner !== undefined) {
          throw new UserError(
            `Both ${owner} and ${label} have a tool named \`${name}\`. Rename one of them, or use ` +
              '`prefixed()` on one of the toolsets.',
          );
        }
        owners.set(name, label);
        merged.set(name, tool);
      }
    }
    return merged;
  }
}

/** Outside of the class, because bundlers rename a class that refers to itself. */
function combine<Deps>(toolsets: readonly Toolset<Deps>[]): CombinedToolset<Deps> {
  return new CombinedToolset(toolsets);
}
