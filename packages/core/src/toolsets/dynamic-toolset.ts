import type { RunContext } from '../context/run-context.ts';
import type { Told, ToolMap, Toolset } from './toolset.ts';

/** Makes a toolset from the context; nothing where there are no tools. */
export type ToolsetFactory<in Deps = unknown> = (
  ctx: RunContext<Deps>,
) => Toolset<Deps> | undefined | null | Promise<Toolset<Deps> | undefined | null>;

const NO_TOOLS: ToolMap = new Map();

/**
 * A toolset that a function makes: anew for each step, or once for each run.
 *
 * A factory that returns the same toolset again changes nothing; another one is opened, and the one
 * before it closed.
 */
export class DynamicToolset<in Deps = unknown> implements Toolset<Deps> {
  readonly id: string | undefined;
  readonly #factory: ToolsetFactory<Deps>;
  readonly #perStep: boolean;
  #current: Toolset<Deps> | undefined;
  #open = false;

  constructor(
    factory: ToolsetFactory<Deps>,
    options: { readonly id?: string | undefined; readonly perRunStep?: boolean | undefined } = {},
  ) {
    this.#factory = factory;
    this.id = options.id;
    this.#perStep = options.perRunStep ?? true;
  }

  get label(): string {
    return this.id === undefined ? 'a dynamic toolset' : `dynamic toolset '${this.id}'`;
  }

  /** A copy for this run: runs do not share what the factory made. */
  async forRun(ctx: RunContext<Deps>): Promise<Toolset<Deps>> {
    const copy = new DynamicToolset(this.#factory, { id: this.id, perRunStep: this.#perStep });
    if (!this.#perStep) copy.#current = (await this.#factory(ctx)) ?? undefined;
    return copy;
  }

  async forRunStep(ctx: RunContext<Deps>): Promise<Toolset<Deps>> {
    if (this.#perStep) await this.#change((await this.#factory(ctx)) ?? undefined);
    return this;
  }

  async open(): Promise<void> {
    await this.#current?.open?.();
    this.#open = true;
  }

  async close(): Promise<void> {
    this.#open = false;
    const current = this.#current;
    if (this.#perStep) this.#current = undefined;
    await current?.close?.();
  }

  getTools(ctx: RunContext<Deps>): ToolMap<Deps> | Promise<ToolMap<Deps>> {
    return this.#current?.getTools(ctx) ?? NO_TOOLS;
  }

  getInstructions(ctx: RunContext<Deps>): Told | Promise<Told> {
    return this.#current?.getInstructions?.(ctx);
  }

  async #change(next: Toolset<Deps> | undefined): Promise<void> {
    const before = this.#current;
    if (next === before) return;
    this.#current = undefined;
    if (this.#open) {
      await before?.close?.();
      await next?.open?.();
    }
    this.#current = next;
  }
}
