import type { RunContext } from '../context/run-context.ts';
import { checkOptions, type OptionTable, requireFunction } from '../errors/check-options.ts';
import { AbstractToolset } from './abstract-toolset.ts';
import { requireToolset } from './require-tools.ts';
import { closeToolset, findToolset, openToolset, type ToolMap, type Toolset } from './toolset.ts';

/** Makes a toolset from the context, or returns `undefined` or `null` for no tools. */
export type ToolsetFactory<in Deps = unknown> = (
  ctx: RunContext<Deps>,
) => Toolset<NoInfer<Deps>> | undefined | null | Promise<Toolset<NoInfer<Deps>> | undefined | null>;

interface DynamicToolsetOptions {
  readonly id?: string | undefined;
  readonly perRunStep?: boolean | undefined;
}

const DYNAMIC_TOOLSET_OPTIONS: OptionTable<DynamicToolsetOptions> = {
  id: 'string',
  perRunStep: 'boolean',
};

/**
 * A toolset from a factory, which is called for each step or once for each run.
 *
 * If the factory returns another toolset than before, that one is opened and the previous one is closed.
 */
export class DynamicToolset<in Deps = unknown> extends AbstractToolset<Deps> {
  readonly #id: string | undefined;
  readonly #factory: ToolsetFactory<Deps>;
  readonly #perStep: boolean;
  #current: Toolset<Deps> | undefined;
  #open = false;

  constructor(
    factory: ToolsetFactory<Deps>,
    options: { readonly id?: string | undefined; readonly perRunStep?: boolean | undefined } = {},
  ) {
    super();
    requireFunction('The factory of `DynamicToolset`', factory);
    checkOptions('`DynamicToolset`', options, DYNAMIC_TOOLSET_OPTIONS);
    this.#factory = factory;
    this.#id = options.id;
    this.#perStep = options.perRunStep ?? true;
  }

  override get id(): string | undefined {
    return this.#id;
  }

  get label(): string {
    return this.id === undefined ? 'a dynamic toolset' : `dynamic toolset '${this.id}'`;
  }

  /** Returns a copy, because runs do not share toolsets of the factory. */
  async forRun(ctx: RunContext<Deps>): Promise<Toolset<Deps>> {
    const copy = makeDynamic(this.#factory, { id: this.id, perRunStep: this.#perStep });
    if (!this.#perStep) copy.#current = await this.#make(ctx);
    return copy;
  }

  /** Calls the factory, unless it is called once for each run. */
  async forRunStep(ctx: RunContext<Deps>): Promise<Toolset<Deps>> {
    if (this.#perStep) await this.#change(await this.#make(ctx));
    return this;
  }

  /** Opens the current toolset of the factory. */
  async open(): Promise<void> {
    if (this.#current !== undefined) await openToolset(this.#current);
    this.#open = true;
  }

  /** Closes the current toolset of the factory. */
  async close(): Promise<void> {
    this.#open = false;
    const current = this.#current;
    if (this.#perStep) this.#current = undefined;
    if (current !== undefined) await closeToolset(current);
  }

  getTools(ctx: RunContext<Deps>): ToolMap<Deps> | Promise<ToolMap<Deps>> {
    return this.#current?.getTools(ctx) ?? new Map();
  }

  /** Returns the instructions of the current toolset. */
  getInstructions(ctx: RunContext<Deps>): string | undefined | Promise<string | undefined> {
    return this.#current?.getInstructions?.(ctx);
  }

  /** Returns the current toolset, or one that it contains, if its id or the id of this toolset matches. */
  override find(id: string): Toolset<never> | undefined {
    const current = this.#current;
    if (current === undefined) return undefined;
    return findToolset(current, id) ?? (this.id === id ? current : undefined);
  }

  /** Calls the factory. Throws if it returns something other than a toolset. */
  async #make(ctx: RunContext<Deps>): Promise<Toolset<Deps> | undefined> {
    const made = (await this.#factory(ctx)) ?? undefined;
    if (made === undefined) return undefined;
    const factory =
      this.id === undefined ? 'A function in `toolsets`' : `The factory of toolset \`${this.id}\``;
    requireToolset(`${factory} returned`, made);
    return made;
  }

  async #change(next: Toolset<Deps> | undefined): Promise<void> {
    const before = this.#current;
    if (next === before) return;
    this.#current = undefined;
    if (this.#open) {
      if (before !== undefined) await closeToolset(before);
      if (next !== undefined) await openToolset(next);
    }
    this.#current = next;
  }
}

/** Outside of the class, because bundlers rename a class that refers to itself. */
function makeDynamic<Deps>(
  ...args: ConstructorParameters<typeof DynamicToolset<Deps>>
): DynamicToolset<Deps> {
  return new DynamicToolset(...args);
}
