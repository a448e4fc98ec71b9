import type { SettingsSource } from '../capabilities/capability.ts';
import type { MaybePromise } from '../context/chain.ts';
import { mergeSettings, type ModelSettings } from '../models/settings.ts';
import type { Run } from './run.ts';

/** The settings for the next request of a run. */
export function mergedSettings(run: Run): MaybePromise<ModelSettings | undefined> {
  const { settings } = run.setup;
  // Most runs have settings that are the same for every request.
  if (settings.length === 0) return run.model.settings;
  return settings.every(isMade)
    ? mergeSettings(run.model.settings, ...settings)
    : madeSettings(run, settings);
}

function isMade(source: SettingsSource<never>): source is ModelSettings {
  return typeof source !== 'function';
}

async function madeSettings(
  run: Run,
  sources: readonly SettingsSource<never>[],
): Promise<ModelSettings | undefined> {
  let merged = run.model.settings;
  for (const source of sources) {
    const layer = isMade(source) ? source : await run.cancellation.guard(source(run.context()));
    merged = mergeSettings(merged, layer);
  }
  return merged;
}
