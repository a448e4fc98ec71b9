import type { Cancellation } from '../context/cancellation.ts';
import type { NativeToolSource } from '../context/native-tool-source.ts';
import type { RunContext } from '../context/run-context.ts';
import { UserError } from '../errors/user-errors.ts';
import type { Model } from '../models/model.ts';
import { type NativeTool, nativeToolKey } from '../models/native-tool.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { ToolMap } from '../toolsets/toolset.ts';

/** What a model is offered in one step. */
interface ToolOffer {
  /** The tools that can be called. */
  readonly tools: ToolMap<never>;
  readonly definitions: readonly ToolDefinition[];
  readonly nativeTools: readonly NativeTool[];
  /** Whether calls to some of the tools have a meaning across providers. */
  readonly hasToolKinds: boolean;
}

const NONE: readonly NativeTool[] = Object.freeze([]);
const TOOL_SEARCH: NativeTool = Object.freeze({ kind: 'tool-search' });

/** The native tools that agent, capabilities and run want in this step; a later one replaces an earlier one. */
export async function wantedNativeTools(
  sources: readonly NativeToolSource<never>[],
  ctx: RunContext<never>,
  cancellation: Cancellation,
): Promise<readonly NativeTool[]> {
  const wanted = new Map<string, NativeTool>();
  for (const source of sources) {
    const tool = typeof source === 'function' ? await cancellation.guard(source(ctx)) : source;
    if (tool) wanted.set(nativeToolKey(tool), tool);
  }
  return [...wanted.values()];
}

/** Offers without native tools, which are the same in all runs with the same tools. */
const plainOffers = new WeakMap<ToolMap<never>, ToolOffer>();

/** Which tools a model is offered: its own where it has them, and functions that stand in for them elsewhere. */
export function offerTools(
  model: Model,
  tools: ToolMap<never>,
  wanted: readonly NativeTool[],
): ToolOffer {
  if (wanted.length > 0) return makeOffer(model, tools, wanted);
  const known = plainOffers.get(tools);
  if (known !== undefined) return known;
  const offer = makeOffer(model, tools, NONE);
  plainOffers.set(tools, offer);
  return offer;
}

function makeOffer(model: Model, tools: ToolMap<never>, wanted: readonly NativeTool[]): ToolOffer {
  const all = [...tools.values()].map((tool) => tool.definition);
  const native = supported(model, wanted, all);
  const keys = new Set<string>(native.map(nativeToolKey));
  const found = all.filter(({ unlessNative }) => !keys.has(unlessNative ?? ''));
  const isSearched = found.some((definition) => definition.withNative === TOOL_SEARCH.kind);
  const needsSearch = isSearched && !keys.has(TOOL_SEARCH.kind);
  return {
    tools: found.length === all.length ? tools : withoutStandIns(tools, keys),
    definitions: Object.freeze(
      (isSearched ? found.map(asSearched) : found.filter(isVisible)).map(asOffered),
    ),
    nativeTools: needsSearch ? Object.freeze([...native, TOOL_SEARCH]) : native,
    hasToolKinds: found.some(({ toolKind }) => toolKind !== undefined),
  };
}

function withoutStandIns(tools: ToolMap<never>, keys: ReadonlySet<string>): ToolMap<never> {
  const kept = [...tools].filter(([, { definition }]) => !keys.has(definition.unlessNative ?? ''));
  return new Map(kept);
}

/** Those of the tools that the model has. Others must be optional, or a function must stand in for them. */
function supported(
  model: Model,
  wanted: readonly NativeTool[],
  functions: readonly ToolDefinition[],
): readonly NativeTool[] {
  const has = (tool: NativeTool) => model.supportsNative?.(tool) ?? false;
  const missing = wanted.filter((tool) => {
    if (has(tool) || tool.optional) return false;
    return !functions.some(({ unlessNative }) => unlessNative === nativeToolKey(tool));
  });
  if (missing.length > 0) {
    const keys = missing.map((tool) => `'${nativeToolKey(tool)}'`).join(', ');
    throw new UserError(
      `The model '${model.name}' (${model.system}) has no native tool ${keys}. Use a model that has it, ` +
        'say that it is optional, or add a tool with unlessNative that stands in for it.',
    );
  }
  return Object.freeze(wanted.filter(has));
}

/** Tools that the provider searches among stay hidden for it: it brings them up itself. */
function asSearched(definition: ToolDefinition): ToolDefinition {
  return definition.withNative === TOOL_SEARCH.kind && !definition.deferLoading
    ? Object.freeze({ ...definition, deferLoading: true })
    : definition;
}

/** A model gets the return schema of a tool only if the tool includes it. */
function asOffered(definition: ToolDefinition): ToolDefinition {
  const { returnSchema, includeReturnSchema, ...offered } = definition;
  if (returnSchema === undefined || includeReturnSchema) return definition;
  return Object.freeze({ ...offered, includeReturnSchema });
}

function isVisible(definition: ToolDefinition): boolean {
  return !definition.deferLoading;
}
