import type { CallState } from '../context/call-state.ts';
import { Context } from '../context/context.ts';
import type { RunContext } from '../context/run-context.ts';
import { GateError } from './permit.ts';

/** Who was asked about which call whether it has to be approved. */
const consulted = new WeakMap<CallState, Set<object>>();

/** Notes that a guard was asked about a call. */
export function recordGuardCheck(ctx: RunContext, guard: object): void {
  const scope = Context.factsOf(ctx)?.call.scope;
  if (scope === undefined) return;
  const guards = consulted.get(scope);
  if (guards === undefined) consulted.set(scope, new Set([guard]));
  else guards.add(guard);
}

/**
 * Throws unless the call was approved, or the guard was asked about it: something between the gate and
 * the tool has left the guard out. `guard`: `undefined` where only an approval will do.
 */
export function requireGuardCheck(ctx: RunContext, guard: object | undefined): void {
  const facts = Context.factsOf(ctx)?.call;
  if (facts?.approval !== undefined) return;
  const guards = facts?.scope && consulted.get(facts.scope);
  if (guard !== undefined && guards?.has(guard)) return;
  throw new GateError(
    `'${ctx.toolName}' has to be approved first, and whatever was put around it does not ask. ` +
      'Extend WrappedTool or use the forms of toolsets, which keep the question.',
  );
}
