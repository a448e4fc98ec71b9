import type { JsonValue } from 'holdpoint';
import type { LedgerKey } from 'holdpoint/ledger';
import type { AuditKind } from '../model/audit-row.ts';
import { hashOf } from '../model/hash.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { RunChange } from '../transitions/run-change.ts';

/** The outcome of a call. */
export interface CallNote {
  readonly kind: AuditKind;
  readonly key: LedgerKey;
  readonly outcome?: JsonValue | undefined;
}

/** Returns whether the audit of a run covers a slot of the ledger. Other slots belong to steps, not to calls. */
function isCall({ slot }: LedgerKey): boolean {
  return slot.startsWith('call:');
}

/** Records the outcome of a call in the audit of its run. */
export function recordCall(change: RunChange, { fence }: TaskClaim, note: CallNote): void {
  const { kind, key, outcome } = note;
  if (!isCall(key)) return;
  change.record(kind, {
    step: key.step,
    slot: key.slot,
    fence,
    ...(outcome !== undefined && { outcome: hashOf('holdpoint/outcome/1', outcome) }),
  });
}
