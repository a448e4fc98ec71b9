import type { Capability } from './capability.ts';

const inherited = new WeakSet<Capability<never>>();

/** Marks a capability that applies to the sub-agents of a run too. Its hooks must not use the deps of the run. */
export function inheritHooks(capability: Capability): Capability {
  const frozen = Object.freeze(capability);
  inherited.add(frozen);
  return frozen;
}

/** Returns those capabilities of a run that apply to a sub-agent. A capability of the sub-agent replaces its namesake. */
export function inheritedCapabilities(
  outer: readonly Capability<never>[],
  own: readonly Capability<never>[],
): readonly Capability<never>[] {
  return outer.filter(
    (capability) => inherited.has(capability) && !own.some(({ name }) => name === capability.name),
  );
}
