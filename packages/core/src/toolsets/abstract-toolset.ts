import type { RunContext } from '../context/run-context.ts';
import type { JsonObject } from '../internal/json.ts';
import { knownToolsOf, registerKnownTools } from '../tools/known-tools.ts';
import type { ToolSelector } from '../tools/tool-selector.ts';
import {
  type ApprovalPolicy,
  requireApproval,
  hideTools,
  filterTools,
  addReturnSchemas,
  addPrefix,
  prepareDefinitions,
  renameTools,
  addMetadata,
  type ToolsPrepare,
} from './transforms.ts';
import { findToolset } from './find-toolset.ts';
import { closeToolset, openToolset } from './open-toolset.ts';
import type { ToolChange } from './tool-change.ts';
import type { Delegation, ToolMap, Toolset } from './toolset.ts';

/** A toolset with everything that can be done to one. */
export abstract class AbstractToolset<in Deps = unknown> implements Toolset<Deps> {
  abstract readonly label: string;
  abstract getTools(ctx: RunContext<Deps>): ToolMap<Deps> | Promise<ToolMap<Deps>>;

  get id(): string | undefined {
    return undefined;
  }

  /** Puts a prefix and an underscore before the names of the tools. */
  prefixed(prefix: string): AbstractToolset<Deps> {
    return this.changed(addPrefix(prefix));
  }

  /** Gives tools other names: new name to old name. */
  renamed(names: Readonly<Record<string, string>>): AbstractToolset<Deps> {
    return this.changed(renameTools(names));
  }

  /** Keeps only the tools that the selector picks. */
  filtered<More = unknown>(selector: ToolSelector<More>): AbstractToolset<Deps & More> {
    return this.changed(filterTools(selector));
  }

  /** Has a function change, leave out or order the tools in each step. */
  prepared<More = unknown>(prepare: ToolsPrepare<More>): AbstractToolset<Deps & More> {
    return this.changed(prepareDefinitions(prepare));
  }

  /** Has calls approved before they run: all of them, or those that the policy picks. */
  approvalRequired<More = unknown>(policy?: ApprovalPolicy<More>): AbstractToolset<Deps & More> {
    return this.changed(requireApproval(policy));
  }

  /** Adds metadata to the tools that the selector picks, over their own. */
  withMetadata<More = unknown>(
    metadata: JsonObject,
    selector?: ToolSelector<More>,
  ): AbstractToolset<Deps & More> {
    return this.changed(addMetadata(metadata, selector));
  }

  /** Hides the tools that the selector picks until something surfaces them. */
  deferLoading<More = unknown>(selector?: ToolSelector<More>): AbstractToolset<Deps & More> {
    return this.changed(hideTools(selector));
  }

  /** Tells the model what the tools that the selector picks return. */
  includeReturnSchemas<More = unknown>(
    selector?: ToolSelector<More>,
  ): AbstractToolset<Deps & More> {
    return this.changed(addReturnSchemas(selector));
  }

  /** Does something to the tools. */
  changed<More = unknown>(change: ToolChange<More>): AbstractToolset<Deps & More> {
    return new ChangedToolset<Deps & More>(this, change);
  }

  /** The outermost toolset with this id: this one, or one inside of it. */
  find(id: string): Toolset<never> | undefined {
    return this.id === id ? this : undefined;
  }
}

/** A toolset around another one. Everything is passed on; extend it to change something on the way. */
export abstract class WrapperToolset<in Deps = unknown> extends AbstractToolset<Deps> {
  readonly wrapped: Toolset<Deps>;

  constructor(wrapped: Toolset<Deps>) {
    super();
    this.wrapped = wrapped;
  }

  override get id(): string | undefined {
    return this.wrapped.id;
  }

  get label(): string {
    return `${this.constructor.name}(${this.wrapped.label})`;
  }

  /** The same wrapper around another toolset. */
  protected abstract wrap(wrapped: Toolset<Deps>): Toolset<Deps>;

  getTools(ctx: RunContext<Deps>): ToolMap<Deps> | Promise<ToolMap<Deps>> {
    return this.wrapped.getTools(ctx);
  }

  /** What the wrapped toolset tells the model. */
  getInstructions(ctx: RunContext<Deps>): string | undefined | Promise<string | undefined> {
    return this.wrapped.getInstructions?.(ctx);
  }

  /** The wrapper around what the wrapped toolset gives a sub-agent. */
  async forSubAgent(delegation: Delegation): Promise<Toolset<Deps>> {
    return this.#rewrap((await this.wrapped.forSubAgent?.(delegation)) ?? this.wrapped);
  }

  /** The wrapper around what the wrapped toolset gives for the run. */
  async forRun(ctx: RunContext<Deps>): Promise<Toolset<Deps>> {
    return this.#rewrap((await this.wrapped.forRun?.(ctx)) ?? this.wrapped);
  }

  /** The wrapper around what the wrapped toolset gives for the step. */
  async forRunStep(ctx: RunContext<Deps>): Promise<Toolset<Deps>> {
    return this.#rewrap((await this.wrapped.forRunStep?.(ctx)) ?? this.wrapped);
  }

  /** Opens the wrapped toolset. */
  open(): Promise<void> {
    return openToolset(this.wrapped);
  }

  /** Closes the wrapped toolset. */
  close(): Promise<void> {
    return closeToolset(this.wrapped);
  }

  /** What is found inside, with the wrapper around it: what was done to the whole holds for its parts. */
  override find(id: string): Toolset<never> | undefined {
    const found = findToolset(this.wrapped, id);
    if (found === undefined || found === this.wrapped) return found && this;
    return this.wrap(found as Toolset<Deps>);
  }

  #rewrap(wrapped: Toolset<Deps>): Toolset<Deps> {
    return wrapped === this.wrapped ? this : this.wrap(wrapped);
  }
}

/** A toolset whose tools something is done to. */
class ChangedToolset<in Deps> extends WrapperToolset<Deps> {
  readonly #change: ToolChange<Deps>;
  /** The tools of the last step and what became of them: most steps have the same tools. */
  #last: { readonly inner: ToolMap<Deps>; readonly outer: ToolMap<Deps> } | undefined;

  constructor(wrapped: Toolset<Deps>, change: ToolChange<Deps>) {
    super(wrapped);
    this.#change = change;
    const { nameOf } = change;
    if (nameOf === undefined) return;
    registerKnownTools(this, () => {
      const known = knownToolsOf(wrapped);
      return { ...known, own: known.own.map(nameOf) };
    });
  }

  override get label(): string {
    return `${this.wrapped.label}, ${this.#change.name}`;
  }

  protected override wrap(wrapped: Toolset<Deps>): Toolset<Deps> {
    return new ChangedToolset(wrapped, this.#change);
  }

  override async getTools(ctx: RunContext<Deps>): Promise<ToolMap<Deps>> {
    const inner = await super.getTools(ctx);
    if (this.#change.perStep) return this.#change.apply(inner, ctx);
    if (this.#last?.inner !== inner) {
      this.#last = { inner, outer: await this.#change.apply(inner, ctx) };
    }
    return this.#last.outer;
  }
}
