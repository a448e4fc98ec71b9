import type { Capability, SettingsSource } from '../capabilities/capability.ts';
import type { RunSetup } from '../loop/run-setup.ts';
import type { OutputSpec } from '../output/output-spec.ts';
import { mergeSettings, type ModelSettings } from '../models/settings.ts';
import type { AgentOptions, AnyTools, AnyToolsets, RunOptions } from './agent-options.ts';

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
