import type { Capability, SettingsSource } from '../capabilities/capability.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import { AbstractToolset } from '../toolsets/abstract-toolset.ts';
import { DynamicToolset, type ToolsetFactory } from '../toolsets/dynamic-toolset.ts';
import { FunctionToolset } from '../toolsets/function-toolset.ts';
import type { Toolset } from '../toolsets/toolset.ts';
import type { RunSetup } from '../loop/run-setup.ts';
import type { OutputSpec } from '../output/output-spec.ts';
import { type ModelSettings, mergeSettings } from '../models/settings.ts';
import type { AgentOptions, AnyTools, AnyToolsets, RunOptions } from './agent-options.ts';

/** Returns a toolset for an option that takes toolsets and factories. */
export function toToolset(toolset: Toolset<never> | ToolsetFactory<never>): Toolset<never> {
  return typeof toolset === 'function'
    ? new DynamicToolset(toolset, { perRunStep: false })
    : toolset;
}

/** Returns the toolset as a capability changes it. */
export function changedBy(
  capability: Capability<never>,
  toolset: AbstractToolset<never>,
): AbstractToolset<never> {
  if (capability.changeTools === undefined) return toolset;
  const changed = capability.changeTools(toolset);
  // Without a result the change would be lost, and with it an approval that it demands.
  if (changed instanceof AbstractToolset) return changed;
  throw new UserError(
    `\`changeTools\` of capability \`${capability.name}\` returned ${showValue(changed)}. Return the toolset.`,
  );
}

/** Returns the toolsets that a capability adds. */
export function toolsetsOf({ name, tools, toolsets }: Capability<never>): Toolset<never>[] {
  const given = (toolsets ?? []).map(toToolset);
  if (tools === undefined) return given;
  return [new FunctionToolset<never>(tools, { label: `capability '${name}'` }), ...given];
}

type ContributingOptions = Pick<
  AgentOptions<AnyTools, OutputSpec, never, AnyToolsets>,
  'historyProcessors' | 'modelSettings' | 'nativeTools'
>;

/** The history processors, native tools and settings of agent, capabilities and run together. */
export type Contributions = Pick<RunSetup, 'historyProcessors' | 'nativeTools' | 'settings'>;

/** Collects the contributions. They are the same for all runs that add none. */
export function collectContributions(
  agent: ContributingOptions,
  capabilities: readonly Capability<never>[],
  run: Pick<RunOptions<never, OutputSpec>, 'modelSettings' | 'nativeTools'>,
): Contributions {
  return {
    historyProcessors: concat(
      agent.historyProcessors,
      ...capabilities.map(({ historyProcessors }) => historyProcessors),
    ),
    nativeTools: concat(
      agent.nativeTools,
      ...capabilities.map(({ nativeTools }) => nativeTools),
      run.nativeTools,
    ),
    settings: settingsOf(agent.modelSettings, capabilities, run.modelSettings),
  };
}

function concat<Item>(...lists: readonly (readonly Item[] | undefined)[]): readonly Item[] {
  return lists.flatMap((list) => list ?? []);
}

/** Returns the settings that override those of the model; merged, unless a function creates some of them per request. */
function settingsOf(
  agent: ModelSettings | undefined,
  capabilities: readonly Capability<never>[],
  run: ModelSettings | undefined,
): readonly SettingsSource<never>[] {
  const layers = [agent, ...capabilities.map(({ modelSettings }) => modelSettings), run].filter(
    (layer) => layer !== undefined,
  );
  const fixed = layers.filter((layer) => typeof layer !== 'function');
  const merged = fixed.length === layers.length ? mergeSettings(...fixed) : undefined;
  return merged === undefined ? layers : [merged];
}
