import type { LedgerKey } from 'holdpoint/ledger';
import type { MadeCall } from '../journal.ts';
import type { World } from '../world.ts';

/** Whether somebody has to approve a call before it runs. */
export function needsApproval({ tool, plan }: MadeCall): boolean {
  return tool.asks === 'odd' ? plan.value % 2 === 1 : tool.asks !== 'never';
}

/** Whether a ledger has to be asked before a call runs. */
export function isGuarded(call: MadeCall): boolean {
  return call.tool.once || needsApproval(call);
}

/** The attempts in doubt that somebody knew of who approved the call. */
export function toldDoubts({ runs }: World, { label }: MadeCall): ReadonlySet<string> {
  const told = new Set<string>();
  for (const { given } of runs) {
    const answer = given?.answers.get(label);
    if (answer?.kind === 'approved' && answer.told !== undefined) told.add(answer.told);
  }
  return told;
}

/** Whether it was said that the call may run again: from then on it is as if it had not run. */
export function mayRunAgain(world: World, call: MadeCall): boolean {
  return call.tool.onInDoubt === 'retry' || toldDoubts(world, call).size > 0;
}

/** The key that the ledger has a call under. */
export function keyOf(idempotencyKey: string): LedgerKey {
  const colon = idempotencyKey.lastIndexOf(':');
  return { step: idempotencyKey.slice(0, colon), slot: `call:${idempotencyKey.slice(colon + 1)}` };
}
