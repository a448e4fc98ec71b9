import type { Capability } from '../capabilities/capability.ts';
import { changedCapability } from '../capabilities/changed-capability.ts';
import { CombinedToolset } from '../toolsets/combined-toolset.ts';
import { DynamicToolset } from '../toolsets/dynamic-toolset.ts';
import { FunctionToolset } from '../toolsets/function-toolset.ts';

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
