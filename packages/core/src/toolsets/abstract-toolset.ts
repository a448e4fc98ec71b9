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
import type { ToolChange } from './tool-change.ts';
import {
  closeToolset,
  type Delegation,
  findToolset,
  openToolset,
  type ToolMap,
  type Toolset,
} from './toolset.ts';

/** A base class for toolsets, with methods that return changed toolsets. */
export abstract class AbstractToolset<in Deps = unknown> implements Toolset<Deps> {
  abstract readonly label: string;
  abstract getTools(ctx: RunContext<Deps>): ToolMap<Deps> | Promise<ToolMap<Deps>>;

  get id(): string | undefined {
    return undefined;
  }

  /** Adds a prefix and an underscore to the names of the tools. */
  prefixed(prefix: string): AbstractToolset<Deps> {
    return this.changed(addPrefix(prefix));
  }

  /** Renames tools. The keys are the new names, the values the old ones. */
  renamed(names: Readonly<Record<string, string>>): AbstractToolset<Deps> {
    return this.changed(renameTools(names));
  }

  /** Keeps only the selected tools. */
  filtered<More = unknown>(selector: ToolSelector<More>): AbstractToolset<Deps & More> {
    return this.changed(filterTools(selector));
  }

  /** Calls a function in each step, which can change, omit and reorder the definitions of the tools. */
  prepared<More = unknown>(prepare: ToolsPrepare<More>): AbstractToolset<Deps & More> {
    return this.changed(prepareDefinitions(prepare));
  }

  /** Requires approval for every call, or for the calls for which the policy returns `true`. */
  approvalRequired<More = unknown>(policy?: ApprovalPolicy<More>): AbstractToolset<Deps & More> {
    return this.changed(requireApproval(policy));
  }

  /** Adds metadata to the selected tools. It takes precedence over metadata of the tools. */
  withMetadata<More = unknown>(
    metadata: JsonObject,
    selector?: ToolSelector<More>,
  ): AbstractToolset<Deps & More> {
    return this.changed(addMetadata(metadata, selector));
  }

  /** Hides the selected tools until a search or another tool surfaces them. */
  deferLoading<More = unknown>(selector?: ToolSelector<More>): AbstractToolset<Deps & More> {
    return this.changed(hideTools(selector));
  }

  /** Sends the return schemas of the selected tools to the model. */
  includeReturnSchemas<More = unknown>(
    selector?: ToolSelector<More>,
  ): AbstractToolset<Deps & More> {
    return this.changed(addReturnSchemas(selector));
  }

  /** Applies a change to the tools. */
  changed<More = unknown>(change: ToolChange<More>): AbstractToolset<Deps & More> {
    return new ChangedToolset<Deps & More>(this, change);
  }

  /** Returns the outermost toolset with an id: this toolset, or one that it contains. */
  find(id: string): Toolset<never> | undefined {
    return this.id === id ? this : undefined;
  }
}

/** A toolset that delegates everything to another one. Extend it to change parts. */
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

  /** Returns the same wrapper with another toolset inside. */
  protected abstract wrap(wrapped: Toolset<Deps>): Toolset<Deps>;

  getTools(ctx: RunContext<Deps>): ToolMap<Deps> | Promise<ToolMap<Deps>> {
    return this.wrapped.getTools(ctx);
  }

  /** Returns the instructions of the wrapped toolset. */
  getInstructions(ctx: RunContext<Deps>): string | undefined | Promise<string | undefined> {
    return this.wrapped.getInstructions?.(ctx);
  }

  /** Wraps the toolset that the wrapped one provides for a sub-agent. */
  async forSubAgent(delegation: Delegation): Promise<Toolset<Deps>> {
    return this.#rewrap((await this.wrapped.forSubAgent?.(delegation)) ?? this.wrapped);
  }

  /** Wraps the toolset that the wrapped one provides for the run. */
  async forRun(ctx: RunContext<Deps>): Promise<Toolset<Deps>> {
    return this.#rewrap((await this.wrapped.forRun?.(ctx)) ?? this.wrapped);
  }

  /** Wraps the toolset that the wrapped one provides for the step. */
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

  /** Wraps the toolset that it finds, so that the wrapper applies to nested toolsets too. */
  override find(id: string): Toolset<never> | undefined {
    const found = findToolset(this.wrapped, id);
    if (found === undefined || found === this.wrapped) return found && this;
    return this.wrap(found as Toolset<Deps>);
  }

  #rewrap(wrapped: Toolset<Deps>): Toolset<Deps> {
    return wrapped === this.wrapped ? this : this.wrap(wrapped);
  }
}

/** A toolset with a change to its tools. */
class ChangedToolset<in Deps> extends WrapperToolset<Deps> {
  readonly #change: ToolChange<Deps>;
  /** The tools of the last step before and after the change. Most steps have the same tools. */
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
