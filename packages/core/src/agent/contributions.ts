import type { Capability, SettingsSource } from '../capabilities/capability.ts';
import type { RunSetup } from '../loop/run-setup.ts';
import type { OutputSpec } from '../output/output-spec.ts';
import { mergeSettings, type ModelSettings } from '../models/settings.ts';
import type { AgentOptions, AnyTools, AnyToolsets, RunOptions } from './agent-options.ts';

type AnyAgentOptions = AgentOptions<AnyTools, OutputSpec, never, AnyToolsets>;

/** What agent, capabilities and run bring together. */
export type Contributions = Pick<RunSetup, 'historyProcessors' | 'nativeTools' | 'settings'>;

/** Puts together what they bring; it is the same for all runs that bring nothing themselves. */
export function collectContributions(
  agent: Pick<AnyAgentOptions, 'historyProcessors' | 'modelSettings' | 'nativeTools'>,
  capabilities: readonly Capability<never>[],
  run: Pick<RunOptions<never, OutputSpec>, 'modelSettings' | 'nativeTools'>,
): Contributions {
  return {
    historyProcessors: joined(
      agent.historyProcessors,
      ...capabilities.map(({ historyProcessors }) => historyProcessors),
    ),
    nativeTools: joined(
      agent.nativeTools,
      ...capabilities.map(({ nativeTools }) => nativeTools),
      run.nativeTools,
    ),
    settings: settingsOf(agent.modelSettings, capabilities, run.modelSettings),
  };
}

function joined<Item>(...lists: readonly (readonly Item[] | undefined)[]): readonly Item[] {
  return lists.flatMap((list) => list ?? []);
}

/** The settings over those of the model, in one where none of them has to be made for each request. */
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
