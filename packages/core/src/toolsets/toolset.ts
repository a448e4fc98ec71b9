import type { AgentInfo, RunContext } from '../context/run-context.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { SchemaValidation } from '../tools/input-schema.ts';
import type { Permit } from '../tools/permit.ts';

/**
 * A set of tools that a run can use. Extend `AbstractToolset` to get the fluent forms as well.
 *
 * For each run: `forSubAgent` if another run delegates to it, `forRun`, then `open`, then for each step
 * `forRunStep` and `getTools`, and `close` at the end, also after an error. What is open already is
 * not opened again.
 */
export interface Toolset<in Deps = unknown> {
  /** Tells toolsets apart, for people and for those that inherit one. */
  readonly id?: string | undefined;
  /** What the toolset is called in errors. */
  readonly label: string;
  /** The tools of this step, by the name that the model sees. */
  getTools(ctx: RunContext<Deps>): ToolMap<Deps> | Promise<ToolMap<Deps>>;
  /** Told to the model beside the agent's instructions. */
  getInstructions?(ctx: RunContext<Deps>): string | undefined | Promise<string | undefined>;
  /**
   * The toolset to use when another run delegates to the agent that has this one: itself unless it
   * has something to keep apart. What a factory has just made is not asked.
   */
  forSubAgent?(delegation: Delegation): Toolset<Deps> | Promise<Toolset<Deps>>;
  /** The toolset to use for a run; itself unless it has something to make anew. */
  forRun?(ctx: RunContext<Deps>): Toolset<Deps> | Promise<Toolset<Deps>>;
  /** The toolset to use for a step; itself unless something changes from step to step. */
  forRunStep?(ctx: RunContext<Deps>): Toolset<Deps> | Promise<Toolset<Deps>>;
  /** Takes what the tools need, such as a connection. */
  open?(): Promise<void>;
  /** Gives back what `open` took, and resets nothing else. */
  close?(): Promise<void>;
  /** The outermost toolset with this id: this one, or one inside of it. */
  find?(id: string): Toolset<never> | undefined;
}

/** A run hands part of its work to another agent. */
export interface Delegation {
  /** The run that delegates, as the call sees it that does so. */
  readonly parent: RunContext;
  /** The agent that the work goes to. */
  readonly agent: AgentInfo;
  /** The toolset with this id as the run that delegates has it now. */
  findToolset(id: string): Toolset<never> | undefined;
}

/** Gives a toolset to use instead of another one, or the same. */
export type ReplaceToolset = <Deps>(toolset: Toolset<Deps>) => Toolset<Deps>;

/** Tools by the name that the model sees. */
export type ToolMap<Deps = unknown> = ReadonlyMap<string, ToolsetTool<Deps>>;

/** A tool as one step of a run sees it. */
export interface ToolsetTool<in Deps = unknown> {
  readonly definition: ToolDefinition;
  /** What executes the tool in the end; permits are for this object. */
  readonly executor: object;
  /** How often the model may try again; without it the run's number holds. */
  readonly maxRetries: number | undefined;
  /** Checks arguments against the schema. */
  check(args: unknown): SchemaValidation<unknown> | Promise<SchemaValidation<unknown>>;
  /** Runs the tool's own validator on checked arguments; throws to refuse them. */
  validate(args: unknown, ctx: RunContext<Deps>): void | Promise<void>;
  /** Whether this very call has to be approved first, where that is decided call by call. */
  needsApproval(args: unknown, ctx: RunContext<Deps>): boolean | Promise<boolean>;
  /** What a call will do, for whoever has to approve it; `undefined` where the tool cannot say. */
  preview?: ((args: unknown, ctx: RunContext<Deps>) => unknown) | undefined;
  /** Executes the tool. Nothing happens without a permit. */
  execute(permit: Permit, ctx: RunContext<Deps>): unknown;
}
