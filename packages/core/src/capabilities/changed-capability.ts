import type { Capability } from './capability.ts';
import { MEMBERS } from './check-capabilities.ts';

/** Returns a capability with some members replaced. Hooks that are methods stay bound to their object. */
export function changedCapability<Deps>(
  capability: Capability<Deps>,
  changes: Partial<Capability<Deps>>,
): Capability<Deps> {
  const changed: Record<string, unknown> = {};
  for (const name of Object.keys(MEMBERS) as (keyof Capability)[]) {
    const member: unknown = capability[name];
    if (member === undefined) continue;
    changed[name] = typeof member === 'function' ? member.bind(capability) : member;
  }
  // Each member has the name and the type of the original.
  return Object.freeze({ ...(changed as unknown as Capability<Deps>), ...changes });
}
