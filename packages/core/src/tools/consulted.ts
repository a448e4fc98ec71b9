import type { CallState } from '../context/call-state.ts';
import { Context } from '../context/context.ts';
import type { RunContext } from '../context/run-context.ts';
import { GateError } from './permit.ts';

/** The guards that decided whether a call needs approval, by call. */
const consulted = new WeakMap<CallState, Set<object>>();

/** Records that a guard decides whether a call needs approval. */
export function recordGuardCheck(ctx: RunContext, guard: object): void {
  const scope = Context.factsOf(ctx)?.call.scope;
  if (scope === undefined) return;
  const guards = consulted.get(scope);
  if (guards === undefined) consulted.set(scope, new Set([guard]));
  else guards.add(guard);
}

/**
 * Throws unless an approver approved the call, or `guard` decided that it needs no approval.
 *
 * A wrapper between the gate and the tool may have skipped the guard. Without a guard only an approval
 * suffices.
 */
export function requireGuardCheck(ctx: RunContext, guard: object | undefined): void {
  const facts = Context.factsOf(ctx)?.call;
  if (facts?.approval !== undefined) return;
  const guards = facts?.scope && consulted.get(facts.scope);
  if (guard !== undefined && guards?.has(guard)) return;
  throw new GateError(
    `Tool \`${ctx.toolName}\` requires approval, and a wrapper around it skips that check. The call was not ` +
      'executed. Use the methods of toolsets, such as `filtered()`, or extend `WrappedTool`.',
  );
}
