import type { Capability } from '../capabilities/capability.ts';
import type { JsonObject } from '../messages/json.ts';
import type { ToolSelector } from '../tools/tool-selector.ts';

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
