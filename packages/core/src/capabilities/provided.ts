import type { NativeToolSource } from '../context/native-tool-source.ts';
import type { DeferredToolHandler } from '../deferred/handler.ts';
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
import {
  checkToolSearch,
  type ToolSearchOptions,
} from '../toolsets/tool-search/tool-search-toolset.ts';
import type { Capability } from './capability.ts';
import { changedCapability } from './changed-capability.ts';
import type { HistoryProcessor } from './history-processor.ts';

/** A capability that answers deferred calls, as far as the handler does; the rest stays open. */
export function handleDeferredToolCalls<Deps = unknown>(
  handler: DeferredToolHandler<Deps>,
): Capability<Deps> {
  requireFunction('The handler of `handleDeferredToolCalls`', handler);
  return Object.freeze({ name: 'handleDeferredToolCalls', handleDeferredToolCalls: handler });
}

/** A capability that changes the history before each request: shortens it, takes secrets out. */
export function processHistory<Deps = unknown>(
  processor: HistoryProcessor<Deps>,
): Capability<Deps> {
  return Object.freeze({ name: 'processHistory', historyProcessors: Object.freeze([processor]) });
}

/** A capability that says how tools with `deferLoading` are searched; without it they are searched, too. */
export function toolSearch(options: ToolSearchOptions = {}): Capability {
  checkToolSearch(options);
  return Object.freeze({ name: 'toolSearch', toolSearch: options });
}

/**
 * A capability that has a tool of the provider and, for models that do not have it, a tool of ours
 * that stands in for it: one with `unlessNative`.
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
  if (local !== undefined) requireStandIn(source, local);
  return Object.freeze({
    name: 'nativeTool',
    nativeTools: Object.freeze([source]),
    ...(local && { tools: Object.freeze([local]) }),
  });
}

/** A tool that does not say for what it stands in would be there beside it. */
function requireStandIn<Deps>(source: NativeToolSource<Deps>, local: Tool<Deps>): void {
  const name = local.name ?? '';
  const { unlessNative } = local.definitionAs(name);
  const wanted = typeof source === 'function' ? unlessNative : nativeToolKey(source);
  if (wanted !== undefined && unlessNative === wanted) return;
  throw new UserError(
    `The tool '${name}' does not stand in for the native tool. Give it unlessNative: '${wanted ?? '…'}'.`,
  );
}

/** A capability that changes, leaves out or orders the tools of a run in each step. */
export function prepareTools<Deps = unknown>(prepare: ToolsPrepare<Deps>): Capability<Deps> {
  return Object.freeze<Capability<Deps>>({
    name: 'prepareTools',
    changeTools: (tools) => tools.prepared(prepare),
  });
}

/**
 * A capability whose own tools have a prefix and an underscore before their names.
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

/** A capability that adds metadata to tools, over their own: to all, or to those that the selector picks. */
export function setToolMetadata<Deps = unknown>(
  metadata: JsonObject,
  selector?: ToolSelector<Deps>,
): Capability<Deps> {
  return Object.freeze<Capability<Deps>>({
    name: 'setToolMetadata',
    changeTools: (tools) => tools.withMetadata(metadata, selector),
  });
}

/** A capability that tells the model what tools return: all of them, or those that the selector picks. */
export function includeReturnSchemas<Deps = unknown>(
  selector?: ToolSelector<Deps>,
): Capability<Deps> {
  return Object.freeze<Capability<Deps>>({
    name: 'includeReturnSchemas',
    changeTools: (tools) => tools.includeReturnSchemas(selector),
  });
}
