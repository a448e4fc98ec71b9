import type { Capability } from './capability.ts';
import { MEMBERS } from './check-capabilities.ts';

/** A capability with some members replaced; hooks that are methods of an object stay with it. */
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
  // Every member is there under its own name.
  return Object.freeze({ ...(changed as unknown as Capability<Deps>), ...changes });
}
