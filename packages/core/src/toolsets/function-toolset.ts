import type { RunContext } from '../context/run-context.ts';
import { toolContextOf } from '../context/context.ts';
import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import type { JsonObject } from '../internal/json.ts';
import { isAlwaysDeferred, type ToolDefinition } from '../models/tool-definition.ts';
import type { SchemaValidation } from '../tools/input-schema.ts';
import { recordGuardCheck, requireDecision, requireGuardCheck } from '../tools/approval-guard.ts';
import {
  hasKnownTools,
  joinKnownTools,
  type KnownTools,
  knownToolsOf,
  registerKnownTools,
} from '../tools/known-tools.ts';
import type { Permit } from '../tools/permit.ts';
import { type ApprovalCheck, alwaysRequiresApproval, type Tool } from '../tools/tool.ts';
import { requireToolName } from '../tools/tool-name.ts';
import { AbstractToolset } from './abstract-toolset.ts';
import { requireTool, requireTools } from './require-tools.ts';
import type { ToolMap, ToolsetTool } from './toolset.ts';

/** Tools as a list, or by name. */
export type FunctionTools<Deps> = readonly Tool<Deps>[] | Readonly<Record<string, Tool<Deps>>>;

/** Options that apply to every tool of a function toolset. */
export interface FunctionToolsetOptions<Deps> {
  readonly id?: string | undefined;
  /** The name of the toolset in error messages. */
  readonly label?: string | undefined;
  /** Instructions that the model receives in addition to those of the agent. */
  readonly instructions?:
    | string
    | ((ctx: RunContext<Deps>) => string | undefined | Promise<string | undefined>)
    | undefined;
  /** The default for tools without `maxRetries`. */
  readonly maxRetries?: number | undefined;
  /** The default for tools without `timeout`, in milliseconds. */
  readonly timeout?: number | undefined;
  /** Metadata for all tools. Metadata of a tool takes precedence. */
  readonly metadata?: JsonObject | undefined;
  /** True if calls need approval, in addition to the tools' own `requiresApproval`. */
  readonly requiresApproval?: boolean | ApprovalCheck<Deps, unknown> | undefined;
}

const FUNCTION_TOOLSET_OPTIONS: OptionTable<FunctionToolsetOptions<never>> = {
  id: 'string',
  label: 'string',
  instructions: 'value',
  maxRetries: 'count',
  timeout: 'milliseconds',
  metadata: 'object',
  requiresApproval: 'any',
};

/** A toolset of tools that `tool()` made. */
export class FunctionToolset<in Deps = unknown> extends AbstractToolset<Deps> {
  readonly #options: FunctionToolsetOptions<Deps>;
  #entries: ReadonlyMap<string, FunctionTool<Deps>> = new Map();
  /** True if a tool has a `prepare` function, which can change its definition in each step. */
  #prepared = false;
  /** True if a tool is hidden until it is surfaced. */
  #hides = false;

  constructor(tools: FunctionTools<Deps> = [], options: FunctionToolsetOptions<Deps> = {}) {
    super();
    checkOptions('`FunctionToolset`', options, FUNCTION_TOOLSET_OPTIONS);
    requireTools(tools);
    this.#options = options;
    for (const [name, tool] of toolEntries(tools)) this.#add(name, tool);
    registerKnownTools(this, () => this.#knownTools());
  }

  override get id(): string | undefined {
    return this.#options.id;
  }

  get label(): string {
    const { label, id } = this.#options;
    return label ?? (id === undefined ? 'a function toolset' : `function toolset '${id}'`);
  }

  /** True if a tool is hidden until it is surfaced, or may be in a later step. */
  get mayHideTools(): boolean {
    return this.#prepared || this.#hides;
  }

  /** Adds a tool for later steps. */
  add(tool: Tool<Deps>, name: string | undefined = tool.name): this {
    requireTool(tool, `Tool \`${name ?? ''}\``);
    for (const [key, added] of toolEntries(name === undefined ? [tool] : { [name]: tool })) {
      this.#add(key, added);
    }
    return this;
  }

  /** Returns the executor of a tool by its name in this toolset. */
  executorOf(name: string): object | undefined {
    return this.#entries.get(name)?.executor;
  }

  /** Returns the instructions of the options. */
  getInstructions(ctx: RunContext<Deps>): string | undefined | Promise<string | undefined> {
    const { instructions } = this.#options;
    return typeof instructions === 'function' ? instructions(ctx) : instructions;
  }

  #add(name: string, tool: Tool<Deps>): void {
    requireToolName(name);
    if (this.#entries.has(name)) {
      throw new UserError(`Two tools are named \`${name}\`. Rename one of them.`);
    }
    const entry = new FunctionTool(tool, this.#definitionOf(name, tool), this.#options);
    this.#entries = new Map(this.#entries).set(name, entry);
    this.#prepared ||= tool.prepare !== undefined;
    this.#hides ||= entry.definition.deferLoading;
  }

  #knownTools(): KnownTools {
    const own = { own: [...this.#entries.keys()], nested: [], isComplete: !this.#prepared };
    const inside = [...this.#entries.values()].map(({ tool }) => tool).filter(hasKnownTools);
    return joinKnownTools([own, ...inside.map((tool) => toNested(knownToolsOf(tool)))]);
  }

  #definitionOf(name: string, tool: Tool<Deps>): ToolDefinition {
    const { timeout, metadata, requiresApproval } = this.#options;
    const definition = tool.definitionAs(name);
    const unapproved = alwaysRequiresApproval(requiresApproval, '`FunctionToolset`');
    if (timeout === undefined && metadata === undefined && !unapproved) {
      return definition;
    }
    return Object.freeze({
      ...definition,
      timeout: definition.timeout ?? timeout,
      metadata: metadata
        ? Object.freeze({ ...metadata, ...definition.metadata })
        : definition.metadata,
      kind: unapproved ? 'unapproved' : definition.kind,
    });
  }

  getTools(ctx: RunContext<Deps>): ToolMap<Deps> | Promise<ToolMap<Deps>> {
    return this.#prepared ? this.#prepare(ctx) : this.#entries;
  }

  async #prepare(ctx: RunContext<Deps>): Promise<ToolMap<Deps>> {
    const tools = new Map<string, FunctionTool<Deps>>();
    for (const entry of this.#entries.values()) {
      const { tool, definition } = entry;
      const wanted = tool.prepare ? await tool.prepare(ctx, definition) : definition;
      if (wanted === undefined || wanted === null) continue;
      const prepared = keepDeferred(wanted, definition);
      if (tools.has(prepared.name)) {
        throw new UserError(
          `\`prepare\` of tool \`${definition.name}\` changed its name to \`${prepared.name}\`, which another tool ` +
            'has. Return the definition with its name unchanged.',
        );
      }
      tools.set(
        prepared.name,
        prepared === definition ? entry : new FunctionTool(tool, prepared, this.#options),
      );
    }
    return tools;
  }
}

function toNested({ own, nested, isComplete }: KnownTools): KnownTools {
  return { own: [], nested: [...own, ...nested], isComplete };
}

/** A tool with its definition for one step. */
class FunctionTool<in Deps> implements ToolsetTool<Deps> {
  readonly tool: Tool<Deps>;
  readonly definition: ToolDefinition;
  readonly executor: object;
  readonly maxRetries: number | undefined;
  readonly preview: ToolsetTool<Deps>['preview'];
  readonly #options: FunctionToolsetOptions<Deps>;

  constructor(tool: Tool<Deps>, definition: ToolDefinition, options: FunctionToolsetOptions<Deps>) {
    this.tool = tool;
    this.definition = definition;
    this.executor = tool;
    this.maxRetries = tool.maxRetries ?? options.maxRetries;
    this.preview = tool.hasPreview ? (args, ctx) => tool.preview(args, ctx) : undefined;
    this.#options = options;
  }

  check(args: unknown): SchemaValidation<unknown> | Promise<SchemaValidation<unknown>> {
    return this.tool.check(args);
  }

  validate(args: unknown, ctx: RunContext<Deps>): void | Promise<void> {
    return this.tool.validate(args, ctx);
  }

  needsApproval(args: unknown, ctx: RunContext<Deps>): boolean | Promise<boolean> {
    const { requiresApproval } = this.#options;
    if (typeof requiresApproval !== 'function') return this.tool.needsApproval(args, ctx);
    recordGuardCheck(ctx, requiresApproval);
    return this.#either(requiresApproval, args, ctx);
  }

  execute(permit: Permit, ctx: RunContext<Deps>): unknown {
    const { requiresApproval } = this.#options;
    if (this.definition.kind === 'unapproved') requireGuardCheck(ctx, undefined);
    if (typeof requiresApproval === 'function') requireGuardCheck(ctx, requiresApproval);
    return this.tool.execute(permit, ctx);
  }

  async #either(
    check: ApprovalCheck<Deps, unknown>,
    args: unknown,
    ctx: RunContext<Deps>,
  ): Promise<boolean> {
    if (await this.tool.needsApproval(args, ctx)) return true;
    return requireDecision('`requiresApproval` of `FunctionToolset`', () =>
      check(args, toolContextOf(ctx)),
    );
  }
}

/** Keeps a tool always deferred if `prepare` returned a definition that is not. */
function keepDeferred(wanted: ToolDefinition, written: ToolDefinition): ToolDefinition {
  return isAlwaysDeferred(written) && !isAlwaysDeferred(wanted)
    ? Object.freeze({ ...wanted, kind: written.kind })
    : wanted;
}

function toolEntries<Deps>(tools: FunctionTools<Deps>): [string, Tool<Deps>][] {
  if (!isToolList(tools)) return Object.entries(tools);
  return tools.map((tool, index) => {
    if (tool.name === undefined) {
      throw new UserError(
        `\`tools[${index}]\` has no name. Set its \`name\`, or pass the tools as a record whose keys are the names.`,
      );
    }
    return [tool.name, tool];
  });
}

function isToolList<Deps>(tools: FunctionTools<Deps>): tools is readonly Tool<Deps>[] {
  return Array.isArray(tools);
}
