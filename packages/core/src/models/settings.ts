import type { JsonObject } from '../internal/json.ts';

/** How a model is to answer. A model ignores what it does not know. */
export interface ModelSettings {
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly seed?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  /** Whether the model may, must or must not call tools; `required` is implied when text is no valid output. */
  readonly toolChoice?: 'auto' | 'none' | 'required' | undefined;
  /** How hard the model thinks, where that can be set. */
  readonly reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | undefined;
  /** Headers for the request to the provider. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What only one provider knows, by the provider's name. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>> | undefined;
}

/** The settings of the layers in one, later layers winning; the providers' own options are merged by provider. */
export function mergeSettings(
  ...layers: readonly (ModelSettings | undefined)[]
): ModelSettings | undefined {
  let merged: ModelSettings | undefined;
  for (const layer of layers) {
    if (layer === undefined) continue;
    merged = merged === undefined ? layer : mergeTwo(merged, layer);
  }
  return merged;
}

function mergeTwo(under: ModelSettings, over: ModelSettings): ModelSettings {
  const merged: Record<string, unknown> = { ...under };
  for (const [name, value] of Object.entries(over)) if (value !== undefined) merged[name] = value;
  if (under.headers && over.headers) merged['headers'] = { ...under.headers, ...over.headers };
  if (under.providerOptions && over.providerOptions) {
    const options: Record<string, JsonObject> = { ...under.providerOptions };
    for (const [provider, own] of Object.entries(over.providerOptions)) {
      options[provider] = { ...options[provider], ...own };
    }
    merged['providerOptions'] = options;
  }
  return merged;
}
