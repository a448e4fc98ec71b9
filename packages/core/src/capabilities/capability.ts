import type { Instructions } from '../context/instructions.ts';
import type { RunContext } from '../context/run-context.ts';
import type { NativeToolSource } from '../context/native-tool-source.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { Tool } from '../tools/tool.ts';
import type { AbstractToolset } from '../toolsets/abstract-toolset.ts';
import type { ToolsetFactory } from '../toolsets/dynamic-toolset.ts';
import type { ToolSearchOptions } from '../toolsets/tool-search/tool-search-toolset.ts';
import type { Toolset } from '../toolsets/toolset.ts';
import type { HistoryProcessor } from './history-processor.ts';
import type { CapabilityHooks } from './hooks.ts';

/**
 * A bundle of behaviour that an agent or a run can have: instructions, tools, settings and hooks.
 *
 * Capabilities work in the order of the list, those of the agent before those of the run. What they
 * require of each other is checked when the agent is made. What a run needs for itself is made for
 * each run: by `forRun`, and by functions among the toolsets.
 *
 * @example
 * const audited: Capability = {
 *   name: 'audited',
 *   async wrapToolExecution({ call }, next) {
 *     log.info('runs', call.toolName)
 *     return next()
 *   },
 * }
 */
export interface Capability<in Deps = unknown> extends CapabilityHooks<Deps> {
  /** What it is called in errors, and by capabilities that need it. */
  readonly name: string;
  /** Capabilities that must be there as well. */
  readonly requires?: readonly string[] | undefined;
  /** Capabilities that must not be there; its own name, if there can be only one of it. */
  readonly conflictsWith?: readonly string[] | undefined;
  /** Capabilities that must come before it, where they are there. */
  readonly after?: readonly string[] | undefined;
  /** Hooks with a state of their own, made anew for each run; they replace those that are here. */
  readonly forRun?:
    | ((ctx: RunContext<Deps>) => CapabilityHooks<Deps> | Promise<CapabilityHooks<Deps>>)
    | undefined;
  /** Told to the model after the agent's instructions. */
  readonly instructions?: Instructions<Deps> | undefined;
  readonly tools?: readonly Tool<Deps>[] | Readonly<Record<string, Tool<Deps>>> | undefined;
  /** Toolsets, and functions that make one for each run. */
  readonly toolsets?: readonly (Toolset<Deps> | ToolsetFactory<Deps>)[] | undefined;
  /** Does something to all tools of the run, whoever brought them. */
  readonly changeTools?:
    | (<Inner>(tools: AbstractToolset<Inner>) => AbstractToolset<Inner & Deps>)
    | undefined;
  readonly nativeTools?: readonly NativeToolSource<Deps>[] | undefined;
  /** Settings over those of the agent and under those of the run. */
  readonly modelSettings?: SettingsSource<Deps> | undefined;
  /** Change the history before each request. */
  readonly historyProcessors?: readonly HistoryProcessor<Deps>[] | undefined;
  /** How hidden tools are searched. */
  readonly toolSearch?: ToolSearchOptions | undefined;
}

/** Settings, or a function that makes them for each request. */
export type SettingsSource<Deps = unknown> =
  | ModelSettings
  | ((ctx: RunContext<Deps>) => ModelSettings | undefined | Promise<ModelSettings | undefined>);
