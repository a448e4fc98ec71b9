import type { Capability } from '../capabilities/capability.ts';
import type { ToolsPrepare } from '../toolsets/prepared.ts';

/** A capability that changes, leaves out or orders the tools of a run in each step. */
export function prepareTools<Deps = unknown>(prepare: ToolsPrepare<Deps>): Capability<Deps> {
  return Object.freeze<Capability<Deps>>({
    name: 'prepareTools',
    changeTools: (tools) => tools.prepared(prepare),
  });
}
