import type { AgentInfo, RunContext } from '../context/run-context.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { SchemaValidation } from '../tools/input-schema.ts';
import type { Permit } from '../tools/permit.ts';

/**
 * A source of tools for a run. Extend `AbstractToolset` to get methods such as `filtered()` too.
 *
 * A run calls `forSubAgent` if a parent run delegates to it, then `forRun` and `open`. It calls `forRunStep` and
 * `getTools` for each step, and `close` at the end, even after an error. An open toolset is not opened again.
 */
export interface Toolset<in Deps = unknown> {
  /** The id of the toolset, for `inherit()` and error messages. */
  readonly id?: string | undefined;
  /** The name of the toolset in error messages. */
  readonly label: string;
  /** Returns the tools of this step, by the name that the model sees. */
  getTools(ctx: RunContext<Deps>): ToolMap<Deps> | Promise<ToolMap<Deps>>;
  /** Returns instructions that the model receives in addition to those of the agent. */
  getInstructions?(ctx: RunContext<Deps>): string | undefined | Promise<string | undefined>;
  /**
   * Returns the toolset for a sub-agent: this one, or another one if runs must not share state. Not called for
   * a toolset that a factory has just made.
   */
  forSubAgent?(delegation: Delegation): Toolset<Deps> | Promise<Toolset<Deps>>;
  /** Returns the toolset for a run: this one, or a new one if runs must not share state. */
  forRun?(ctx: RunContext<Deps>): Toolset<Deps> | Promise<Toolset<Deps>>;
  /** Returns the toolset for a step: this one, unless it changes from step to step. */
  forRunStep?(ctx: RunContext<Deps>): Toolset<Deps> | Promise<Toolset<Deps>>;
  /** Acquires the resources of the tools, such as a connection. */
  open?(): Promise<void>;
  /** Releases the resources that `open` acquired, and resets nothing else. */
  close?(): Promise<void>;
  /** Returns the outermost toolset with an id: this one, or one that it contains. */
  find?(id: string): Toolset<never> | undefined;
}

/** A call of a run to a sub-agent. */
export interface Delegation {
  /** The context of the call that delegates. */
  readonly parent: RunContext;
  /** The sub-agent. */
  readonly agent: AgentInfo;
  /** Returns the toolset of the parent run with an id. */
  findToolset(id: string): Toolset<never> | undefined;
}

/** Tools, by the name that the model sees. */
export type ToolMap<Deps = unknown> = ReadonlyMap<string, ToolsetTool<Deps>>;

/** A tool in one step of a run. */
export interface ToolsetTool<in Deps = unknown> {
  readonly definition: ToolDefinition;
  /** The object that executes the tool. Permits are issued for it. */
  readonly executor: object;
  /** The maximum number of consecutive retries. Defaults to the number of the run. */
  readonly maxRetries: number | undefined;
  /** Validates arguments with the schema. */
  check(args: unknown): SchemaValidation<unknown> | Promise<SchemaValidation<unknown>>;
  /** Calls the tool's validator with arguments that match the schema. It throws to reject them. */
  validate(args: unknown, ctx: RunContext<Deps>): void | Promise<void>;
  /** Returns true if a function decided that this call needs approval. */
  needsApproval(args: unknown, ctx: RunContext<Deps>): boolean | Promise<boolean>;
  /** Describes the effect of a call for approvers. Missing if the tool has no preview. */
  preview?: ((args: unknown, ctx: RunContext<Deps>) => unknown) | undefined;
  /** Executes the tool. Requires a permit. */
  execute(permit: Permit, ctx: RunContext<Deps>): unknown;
}

/** Returns the outermost toolset with an id: the given one, or one that it contains. */
export function findToolset(toolset: Toolset<never>, id: string): Toolset<never> | undefined {
  if (toolset.find !== undefined) return toolset.find(id);
  return toolset.id === id ? toolset : undefined;
}

interface OpenCount {
  users: number;
  /** Resolves when the toolset is open. */
  opening: Promise<void>;
}

/** The number of users of each toolset. The first one opens it, the last one closes it. */
const openCounts = new WeakMap<Toolset<never>, OpenCount>();
/** Toolsets that are being closed. They can be opened again only afterwards. */
const closing = new WeakMap<Toolset<never>, Promise<void>>();

/** Opens a toolset, unless another user has opened it. */
export async function openToolset(toolset: Toolset<never>): Promise<void> {
  if (toolset.open === undefined) return;
  let count = openCounts.get(toolset);
  if (count === undefined) {
    count = { users: 0, opening: openAfterClosing(toolset) };
    openCounts.set(toolset, count);
  }
  count.users += 1;
  try {
    await count.opening;
  } catch (error) {
    // The next user tries again.
    if (openCounts.get(toolset) === count) openCounts.delete(toolset);
    throw error;
  }
}

/** Closes a toolset, unless another user still needs it. */
export async function closeToolset(toolset: Toolset<never>): Promise<void> {
  const count = openCounts.get(toolset);
  if (count === undefined) return;
  count.users -= 1;
  if (count.users > 0) return;
  openCounts.delete(toolset);
  const closed = Promise.resolve(toolset.close?.());
  closing.set(toolset, closed);
  try {
    await closed;
  } finally {
    if (closing.get(toolset) === closed) closing.delete(toolset);
  }
}

async function openAfterClosing(toolset: Toolset<never>): Promise<void> {
  // `closeToolset` throws the error of `close`.
  await closing.get(toolset)?.catch(() => {});
  await toolset.open?.();
}
