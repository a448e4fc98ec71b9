import type { LedgerKey } from 'holdpoint/ledger';
import type { MadeCall } from '../journal.ts';
import type { World } from '../world.ts';

/** True if a call needs an approval. */
export function needsApproval({ tool, plan }: MadeCall): boolean {
  return tool.asks === 'odd' ? plan.value % 2 === 1 : tool.asks !== 'never';
}

/** True if a call is claimed in the ledger before it executes. */
export function isGuarded(call: MadeCall): boolean {
  return call.tool.once || needsApproval(call);
}

/** Returns the attempts in doubt that an approver was shown and approved. */
export function approvedDoubts({ runs }: World, { label }: MadeCall): ReadonlySet<string> {
  const attempts = new Set<string>();
  for (const { given } of runs) {
    const decision = given?.decisions.get(label);
    if (decision?.kind === 'approved' && decision.shownAttempt !== undefined)
      attempts.add(decision.shownAttempt);
  }
  return attempts;
}

/** True if the call was allowed to execute again; it then counts as not executed. */
export function mayRunAgain(world: World, call: MadeCall): boolean {
  return call.tool.onInDoubt === 'retry' || approvedDoubts(world, call).size > 0;
}

/** Returns the ledger key of a call. */
export function keyOf(idempotencyKey: string): LedgerKey {
  const colon = idempotencyKey.lastIndexOf(':');
  return { step: idempotencyKey.slice(0, colon), slot: `call:${idempotencyKey.slice(colon + 1)}` };
}
