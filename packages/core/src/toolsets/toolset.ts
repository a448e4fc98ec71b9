import type { RunContext } from '../context/run-context.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { Checked } from '../tools/input-schema.ts';
import type { Permit } from '../tools/permit.ts';

/** A set of tools that a run can use. */
export interface Toolset<in Deps = unknown> {
  /** The tools of this step, by the name that the model sees. */
  getTools(ctx: RunContext<Deps>): ToolMap<Deps> | Promise<ToolMap<Deps>>;
}

/** Tools by the name that the model sees. */
export type ToolMap<Deps = unknown> = ReadonlyMap<string, ToolsetTool<Deps>>;

/** A tool as one step of a run sees it. */
export interface ToolsetTool<in Deps = unknown> {
  readonly definition: ToolDefinition;
  /** How often the model may try again; without it the run's number holds. */
  readonly maxRetries: number | undefined;
  /** Checks arguments against the schema. */
  check(args: unknown): Checked<unknown> | Promise<Checked<unknown>>;
  /** Runs the tool's own validator on checked arguments; throws to refuse them. */
  validate(args: unknown, ctx: RunContext<Deps>): void | Promise<void>;
  /** Executes the tool. Nothing happens without a permit. */
  execute(permit: Permit, ctx: RunContext<Deps>): unknown;
}
