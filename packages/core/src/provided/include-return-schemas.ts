import type { Capability } from '../capabilities/capability.ts';
import type { ToolSelector } from '../tools/tool-selector.ts';

/** A capability that tells the model what tools return: all of them, or those that the selector picks. */
export function includeReturnSchemas<Deps = unknown>(
  selector?: ToolSelector<Deps>,
): Capability<Deps> {
  return Object.freeze<Capability<Deps>>({
    name: 'includeReturnSchemas',
    changeTools: (tools) => tools.includeReturnSchemas(selector),
  });
}
