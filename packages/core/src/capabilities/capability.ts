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
 * A bundle of instructions, tools, settings and hooks for an agent or a run.
 *
 * Capabilities apply in the order of the list, those of the agent before those of the run. The agent validates their
 * requirements when it is created. `forRun`, and functions among the toolsets, create state for each run.
 *
 * @example
 * const audited: Capability = {
 *   name: 'audited',
 *   async wrapToolExecution({ call }, next) {
 *     log.info('executes', call.toolName)
 *     return next()
 *   },
 * }
 */
export interface Capability<in Deps = unknown> extends CapabilityHooks<Deps> {
  /** The name of the capability in errors, and in the requirements of other capabilities. */
  readonly name: string;
  /** Capabilities that this one requires. */
  readonly requires?: readonly string[] | undefined;
  /** Capabilities that exclude this one. The name of this capability means that there can be only one of it. */
  readonly conflictsWith?: readonly string[] | undefined;
  /** Capabilities that must come before this one, if they are present. */
  readonly after?: readonly string[] | undefined;
  /** Creates the hooks for one run, with their own state. They replace the hooks of this object. */
  readonly forRun?:
    | ((ctx: RunContext<Deps>) => CapabilityHooks<Deps> | Promise<CapabilityHooks<Deps>>)
    | undefined;
  /** Instructions that follow those of the agent. */
  readonly instructions?: Instructions<Deps> | undefined;
  readonly tools?: readonly Tool<Deps>[] | Readonly<Record<string, Tool<Deps>>> | undefined;
  /** Toolsets, and functions that create one for each run. */
  readonly toolsets?: readonly (Toolset<Deps> | ToolsetFactory<Deps>)[] | undefined;
  /** Changes all tools of the run, including those of the agent and of other capabilities. */
  readonly changeTools?:
    | (<Inner>(tools: AbstractToolset<Inner>) => AbstractToolset<Inner & Deps>)
    | undefined;
  readonly nativeTools?: readonly NativeToolSource<Deps>[] | undefined;
  /** Settings that override those of the agent. Settings of the run override them. */
  readonly modelSettings?: SettingsSource<Deps> | undefined;
  /** Functions that change the history before each request. */
  readonly historyProcessors?: readonly HistoryProcessor<Deps>[] | undefined;
  /** Options of the search for hidden tools. */
  readonly toolSearch?: ToolSearchOptions | undefined;
}

/** Settings, or a function that returns them for each request. */
export type SettingsSource<Deps = unknown> =
  | ModelSettings
  | ((ctx: RunContext<Deps>) => ModelSettings | undefined | Promise<ModelSettings | undefined>);
