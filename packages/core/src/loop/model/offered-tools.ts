import type { Cancellation } from '../../context/cancellation.ts';
import type { NativeToolSource, RunContext } from '../../context/run-context.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Model } from '../../models/model.ts';
import { type NativeTool, nativeToolKey } from '../../models/native-tool.ts';
import type { ToolDefinition } from '../../models/tool-definition.ts';
import type { ToolMap } from '../../toolsets/toolset.ts';

/** The tools that a model is offered in one step. */
interface ToolOffer {
  /** The tools that can be called. */
  readonly tools: ToolMap<never>;
  readonly definitions: readonly ToolDefinition[];
  readonly nativeTools: readonly NativeTool[];
}

const TOOL_SEARCH: NativeTool = Object.freeze({ kind: 'tool-search' });

/** Returns the native tools that agent, capabilities and run request for this step. A later one replaces an earlier one. */
export async function requestedNativeTools(
  sources: readonly NativeToolSource<never>[],
  ctx: RunContext<never>,
  cancellation: Cancellation,
): Promise<readonly NativeTool[]> {
  const requested = new Map<string, NativeTool>();
  for (const source of sources) {
    const tool = typeof source === 'function' ? await cancellation.guard(source(ctx)) : source;
    if (tool) requested.set(nativeToolKey(tool), tool);
  }
  return [...requested.values()];
}

/** Offers without native tools, by tools. Models that cache by list of definitions find the same list again. */
const plainOffers = new WeakMap<ToolMap<never>, ToolOffer>();

/** Returns the tools that a model is offered: native tools if the model supports them, and otherwise their fallbacks. */
export function offerTools(
  model: Model,
  tools: ToolMap<never>,
  requested: readonly NativeTool[],
): ToolOffer {
  if (requested.length > 0) return makeOffer(model, tools, requested);
  const known = plainOffers.get(tools);
  if (known !== undefined) return known;
  const offer = makeOffer(model, tools, []);
  plainOffers.set(tools, offer);
  return offer;
}

function makeOffer(
  model: Model,
  tools: ToolMap<never>,
  requested: readonly NativeTool[],
): ToolOffer {
  const all = [...tools.values()].map((tool) => tool.definition);
  const native = supported(model, requested, all);
  const keys = new Set<string>(native.map(nativeToolKey));
  const found = all.filter(({ unlessNative }) => !keys.has(unlessNative ?? ''));
  const isSearched = found.some((definition) => definition.withNative === TOOL_SEARCH.kind);
  const needsSearch = isSearched && !keys.has(TOOL_SEARCH.kind);
  return {
    tools: found.length === all.length ? tools : withoutFallbacks(tools, keys),
    definitions: Object.freeze(
      (isSearched ? found.map(asSearched) : found.filter(isVisible)).map(asOffered),
    ),
    nativeTools: needsSearch ? Object.freeze([...native, TOOL_SEARCH]) : native,
  };
}

function withoutFallbacks(tools: ToolMap<never>, keys: ReadonlySet<string>): ToolMap<never> {
  const kept = [...tools].filter(([, { definition }]) => !keys.has(definition.unlessNative ?? ''));
  return new Map(kept);
}

/** Returns the native tools that the model supports. Throws if another one is neither optional nor has a fallback. */
function supported(
  model: Model,
  requested: readonly NativeTool[],
  functions: readonly ToolDefinition[],
): readonly NativeTool[] {
  const isSupported = (tool: NativeTool) => model.supportsNative?.(tool) ?? false;
  const missing = requested.filter((tool) => {
    if (isSupported(tool) || tool.optional) return false;
    return !functions.some(({ unlessNative }) => unlessNative === nativeToolKey(tool));
  });
  if (missing.length > 0) {
    const keys = missing.map((tool) => `\`${nativeToolKey(tool)}\``).join(', ');
    throw new UserError(
      `Model \`${model.name}\` (${model.system}) does not support the native tool ${keys}. Use a model that supports it, ` +
        'set `optional` on it, or add a tool with `unlessNative` that replaces it.',
    );
  }
  return Object.freeze(requested.filter(isSupported));
}

/** Hides a tool that the provider finds with its search. */
function asSearched(definition: ToolDefinition): ToolDefinition {
  return definition.withNative === TOOL_SEARCH.kind && !definition.deferLoading
    ? Object.freeze({ ...definition, deferLoading: true })
    : definition;
}

/** Removes the return schema, unless the tool includes it for models. */
function asOffered(definition: ToolDefinition): ToolDefinition {
  const { returnSchema, includeReturnSchema, ...offered } = definition;
  if (returnSchema === undefined || includeReturnSchema) return definition;
  return Object.freeze({ ...offered, includeReturnSchema });
}

function isVisible(definition: ToolDefinition): boolean {
  return !definition.deferLoading;
}
