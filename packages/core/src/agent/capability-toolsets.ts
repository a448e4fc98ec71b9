import type { Capability } from '../capabilities/capability.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import { AbstractToolset } from '../toolsets/abstract-toolset.ts';
import { DynamicToolset, type ToolsetFactory } from '../toolsets/dynamic-toolset.ts';
import { FunctionToolset } from '../toolsets/function-toolset.ts';
import type { Toolset } from '../toolsets/toolset.ts';

/** Returns a toolset for an option that takes toolsets and factories. */
export function toToolset(toolset: Toolset<never> | ToolsetFactory<never>): Toolset<never> {
  return typeof toolset === 'function'
    ? new DynamicToolset(toolset, { perRunStep: false })
    : toolset;
}

/** Returns the toolset as a capability changes it. */
export function changedBy(
  capability: Capability<never>,
  toolset: AbstractToolset<never>,
): AbstractToolset<never> {
  if (capability.changeTools === undefined) return toolset;
  const changed = capability.changeTools(toolset);
  // Without a result the change would be lost, and with it an approval that it demands.
  if (changed instanceof AbstractToolset) return changed;
  throw new UserError(
    `\`changeTools\` of capability \`${capability.name}\` returned ${showValue(changed)}. Return the toolset.`,
  );
}

/** Returns the toolsets that a capability adds. */
export function toolsetsOf({ name, tools, toolsets }: Capability<never>): Toolset<never>[] {
  const given = (toolsets ?? []).map(toToolset);
  if (tools === undefined) return given;
  return [new FunctionToolset<never>(tools, { label: `capability '${name}'` }), ...given];
}
