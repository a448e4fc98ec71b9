import type { NativeToolSource } from '../context/run-context.ts';
import type { DeferredToolHandler } from '../deferred/handlers.ts';
import { checkOptions, requireFunction } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import type { JsonObject } from '../internal/json.ts';
import { nativeToolKey } from '../models/native-tool.ts';
import type { ToolSelector } from '../tools/tool-selector.ts';
import type { Tool } from '../tools/tool.ts';
import { CombinedToolset } from '../toolsets/combined-toolset.ts';
import { DynamicToolset } from '../toolsets/dynamic-toolset.ts';
import { FunctionToolset } from '../toolsets/function-toolset.ts';
import type { ToolsPrepare } from '../toolsets/transforms.ts';
import { requireTool } from '../toolsets/require-tools.ts';
import { checkToolSearch, type ToolSearchOptions } from '../toolsets/tool-search.ts';
import type { Capability } from './capability.ts';
import { CAPABILITY_MEMBERS } from './check-capabilities.ts';
import type { HistoryProcessor } from './history-processor.ts';

/** Returns a capability that decides deferred calls. Calls that the handler does not resolve stay pending. */
export function handleDeferredToolCalls<Deps = unknown>(
  handler: DeferredToolHandler<Deps>,
): Capability<Deps> {
  requireFunction('The handler of `handleDeferredToolCalls`', handler);
  return Object.freeze({ name: 'handleDeferredToolCalls', handleDeferredToolCalls: handler });
}

/** Returns a capability that changes the history before each request, for example to shorten it or to remove secrets. */
export function processHistory<Deps = unknown>(
  processor: HistoryProcessor<Deps>,
): Capability<Deps> {
  // Callers without types may pass any value.
  const given: Partial<Record<'onNew', unknown>> = Object(processor);
  if (typeof given !== 'function')
    requireFunction('The processor of `processHistory`', given.onNew);
  return Object.freeze({ name: 'processHistory', historyProcessors: Object.freeze([processor]) });
}

/** Returns a capability with options of the search for tools with `deferLoading`. Without it, the defaults apply. */
export function toolSearch(options: ToolSearchOptions = {}): Capability {
  checkToolSearch(options);
  return Object.freeze({ name: 'toolSearch', toolSearch: options });
}

/**
 * Returns a capability with a native tool. For models that do not support it, `local` is a fallback: a tool with
 * `unlessNative`.
 *
 * @example
 * nativeTool({ kind: 'web-search' }, { local: tool({ name: 'search', unlessNative: 'web-search', … }) })
 */
export function nativeTool<Deps = unknown>(
  source: NativeToolSource<Deps>,
  options: { readonly local?: Tool<Deps> | undefined } = {},
): Capability<Deps> {
  checkOptions('`nativeTool`', options, { local: 'value' });
  const { local } = options;
  if (local !== undefined) requireTool(local, '`local` of `nativeTool`');
  if (local !== undefined) requireFallback(source, local);
  return Object.freeze({
    name: 'nativeTool',
    nativeTools: Object.freeze([source]),
    ...(local && { tools: Object.freeze([local]) }),
  });
}

/** Throws if a tool is not a fallback of the native tool. The model would be offered both. */
function requireFallback<Deps>(source: NativeToolSource<Deps>, local: Tool<Deps>): void {
  const name = local.name ?? '';
  const { unlessNative } = local.definitionAs(name);
  const expected = typeof source === 'function' ? unlessNative : nativeToolKey(source);
  if (expected !== undefined && unlessNative === expected) return;
  throw new UserError(
    `Tool \`${name}\` is not a fallback of the native tool, so the model would be offered both. Set \`unlessNative: '${expected ?? '…'}'\` on it.`,
  );
}

/** Returns a capability that changes, removes or reorders the tools of a run in each step. */
export function prepareTools<Deps = unknown>(prepare: ToolsPrepare<Deps>): Capability<Deps> {
  return Object.freeze<Capability<Deps>>({
    name: 'prepareTools',
    changeTools: (tools) => tools.prepared(prepare),
  });
}

/**
 * Returns a capability whose tools have a prefix and an underscore before their names.
 *
 * @example
 * new Agent({ model, capabilities: [prefixTools('work', calendar), prefixTools('home', calendar)] })
 */
export function prefixTools<Deps>(prefix: string, capability: Capability<Deps>): Capability<Deps> {
  const { tools, toolsets } = capability;
  const all = new CombinedToolset<Deps>([
    ...(tools === undefined
      ? []
      : [new FunctionToolset<Deps>(tools, { label: `capability '${capability.name}'` })]),
    ...(toolsets ?? []).map((toolset) =>
      typeof toolset === 'function'
        ? new DynamicToolset<Deps>(toolset, { perRunStep: false })
        : toolset,
    ),
  ]);
  return changedCapability(capability, {
    tools: undefined,
    toolsets: Object.freeze([all.prefixed(prefix)]),
  });
}

/** Returns a capability with some members replaced. Hooks that are methods stay bound to their object. */
function changedCapability<Deps>(
  capability: Capability<Deps>,
  changes: Partial<Capability<Deps>>,
): Capability<Deps> {
  const changed: Record<string, unknown> = {};
  for (const name of Object.keys(CAPABILITY_MEMBERS) as (keyof Capability)[]) {
    const member: unknown = capability[name];
    if (member === undefined) continue;
    changed[name] = typeof member === 'function' ? member.bind(capability) : member;
  }
  // Each member has the name and the type of the original.
  return Object.freeze({ ...(changed as unknown as Capability<Deps>), ...changes });
}

/** Returns a capability that adds metadata to all tools, or to those that the selector matches. It overrides their own. */
export function setToolMetadata<Deps = unknown>(
  metadata: JsonObject,
  selector?: ToolSelector<Deps>,
): Capability<Deps> {
  return Object.freeze<Capability<Deps>>({
    name: 'setToolMetadata',
    changeTools: (tools) => tools.withMetadata(metadata, selector),
  });
}

/** Returns a capability that sends the return schemas of tools to the model: of all, or of those that the selector matches. */
export function includeReturnSchemas<Deps = unknown>(
  selector?: ToolSelector<Deps>,
): Capability<Deps> {
  return Object.freeze<Capability<Deps>>({
    name: 'includeReturnSchemas',
    changeTools: (tools) => tools.includeReturnSchemas(selector),
  });
}
