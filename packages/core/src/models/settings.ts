import type { JsonObject } from '../internal/json.ts';

/** Settings of a model request. A model ignores settings that it does not know. */
export interface ModelSettings {
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly seed?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  /** The rule for tool calls. Defaults to `required` if text is not a valid output. */
  readonly toolChoice?: 'auto' | 'none' | 'required' | undefined;
  /** The reasoning effort, if the model supports it. */
  readonly reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | undefined;
  /** Headers for the request to the provider. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Options of a single provider, by the name of the provider. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>> | undefined;
}

/** Merges settings. Later layers take precedence; provider options are merged for each provider. */
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
  const merged: Record<string, unknown> = { ...under, ...definedFields(over) };
  if (under.headers && over.headers) merged['headers'] = { ...under.headers, ...over.headers };
  if (under.providerOptions && over.providerOptions) {
    const options: Record<string, JsonObject> = { ...under.providerOptions };
    for (const [provider, added] of Object.entries(over.providerOptions)) {
      options[provider] = { ...options[provider], ...added };
    }
    merged['providerOptions'] = options;
  }
  return merged;
}

/** Fields without the value `undefined`. Fields that may be `undefined` are optional. */
type DefinedFields<Fields> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key];
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<
    Fields[Key],
    undefined
  >;
};

/** Returns the fields that have a value. */
export function definedFields<Fields extends object>(fields: Fields): DefinedFields<Fields> {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as DefinedFields<Fields>;
}
