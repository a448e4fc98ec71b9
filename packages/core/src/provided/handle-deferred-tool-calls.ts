import type { Capability } from '../capabilities/capability.ts';
import type { DeferredToolHandler } from '../deferred/handler.ts';
import { requireFunction } from '../errors/check-options.ts';

/** A capability that answers deferred calls, as far as the handler does; the rest stays open. */
export function handleDeferredToolCalls<Deps = unknown>(
  handler: DeferredToolHandler<Deps>,
): Capability<Deps> {
  requireFunction('The handler of `handleDeferredToolCalls`', handler);
  return Object.freeze({ name: 'handleDeferredToolCalls', handleDeferredToolCalls: handler });
}
