import { type CallState, Context } from '../context/context.ts';
import type { RunContext } from '../context/run-context.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import { GateError } from './permit.ts';

/**
 * Returns the decision of a function that decides whether a call needs approval.
 *
 * Only `true` and `false` are valid. Any other value is a mistake, such as a forgotten `return`,
 * and the call must not execute.
 */
export async function requireDecision(decider: string, decide: () => unknown): Promise<boolean> {
  return requireBoolean(decider, await decide());
}

/** Returns a decision about a call. Throws if it is not a boolean. */
export function requireBoolean(decider: string, decided: unknown): boolean {
  if (typeof decided === 'boolean') return decided;
  throw new UserError(
    `${decider} returned ${showValue(decided)}. The call was not executed. Return \`true\` if it needs approval, ` +
      'and `false` if it does not.',
  );
}

/** The guards that decided whether a call needs approval, by call. */
const guardChecks = new WeakMap<CallState, Set<object>>();

/** Records that a guard decides whether a call needs approval. */
export function recordGuardCheck(ctx: RunContext, guard: object): void {
  const scope = Context.factsOf(ctx)?.call.scope;
  if (scope === undefined) return;
  const guards = guardChecks.get(scope);
  if (guards === undefined) guardChecks.set(scope, new Set([guard]));
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
  // An input for a question is not an approval.
  if (facts?.approval !== undefined && facts.approval.isApproved !== false) return;
  const guards = facts?.scope && guardChecks.get(facts.scope);
  if (guard !== undefined && guards?.has(guard)) return;
  throw new GateError(
    `Tool \`${ctx.toolName}\` requires approval, and a wrapper around it skips that check. The call was not ` +
      'executed. Use the methods of toolsets, such as `filtered()`, or extend `WrappedTool`.',
  );
}
