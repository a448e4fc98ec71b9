import type { Capability } from '../capabilities/capability.ts';
import type { DeferredToolHandler } from '../deferred/handler.ts';

/** A capability that answers deferred calls, as far as the handler does; the rest stays open. */
export function handleDeferredToolCalls<Deps = unknown>(
  handler: DeferredToolHandler<Deps>,
): Capability<Deps> {
  return Object.freeze({ name: 'handleDeferredToolCalls', handleDeferredToolCalls: handler });
}
