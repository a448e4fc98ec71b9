import { mergeSettings, type ModelSettings } from '../../models/settings.ts';
import type { Run } from '../run.ts';

/** Merges the settings for the next request of a run; later sources win over earlier ones and over the model. */
export async function mergedSettings(run: Run): Promise<ModelSettings | undefined> {
  let merged = run.model.settings;
  for (const source of run.setup.settings) {
    const layer =
      typeof source === 'function' ? await run.cancellation.guard(source(run.context())) : source;
    merged = mergeSettings(merged, layer);
  }
  return merged;
}
