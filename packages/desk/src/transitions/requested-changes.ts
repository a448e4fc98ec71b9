import type { Decision, DecisionRow } from '../model/decision-row.ts';
import { finalDecision } from '../model/final-decision.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { HoldState } from '../model/states.ts';
import type { ReadTx } from '../store/store.ts';

/** A hold whose approver requested changes. */
export interface HoldWithRequestedChanges {
  readonly hold: HoldRow;
  readonly decision: Extract<Decision, { kind: 'retry' }>;
  /** The recorded decision, with the approver and the time. */
  readonly row: DecisionRow;
}

const DECIDED: readonly HoldState[] = ['decided', 'consumed'];

/**
 * Returns the holds about which approvers requested changes, the oldest first: those of earlier calls of the same tool
 * in the same run, and this one.
 */
export async function changesRequestedBefore(
  tx: ReadTx,
  hold: HoldRow,
): Promise<readonly HoldWithRequestedChanges[]> {
  const { tenant, runId, id, park, state } = hold;
  if (hold.kind !== 'approval' || (park === 1 && state === 'open')) return [];
  const requested: HoldWithRequestedChanges[] = [];
  for (const one of await tx.holds.ofRun(tenant, runId, DECIDED)) {
    const isBefore = one.id === id || (one.park < park && isSameTool(one, hold));
    if (!isBefore || one.kind !== 'approval') continue;
    const decisions = await tx.decisions.ofHold(tenant, one.id);
    const decision = finalDecision(one, decisions);
    const row = decisions.at(-1);
    if (decision?.kind === 'retry' && row !== undefined)
      requested.push({ hold: one, decision, row });
  }
  return requested;
}

function isSameTool(one: HoldRow, other: HoldRow): boolean {
  const names = ({ path, toolName }: HoldRow) => [...path.map((call) => call.toolName), toolName];
  const [own, others] = [names(one), names(other)];
  return own.length === others.length && own.every((name, index) => name === others[index]);
}
