import type { JsonValue } from 'holdpoint';
import type { LedgerKey } from 'holdpoint/ledger';
import type { AuditKind } from '../model/audit-row.ts';
import { hashOf } from '../model/hash.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Tx } from '../store/store.ts';
import { RunChange } from '../transitions/run-change.ts';

/** The outcome of a call. */
export interface CallNote {
  readonly kind: AuditKind;
  readonly key: LedgerKey;
  readonly outcome?: JsonValue | undefined;
}

/** Records the outcome of a call in the audit of its run. Other slots of the ledger are not recorded. */
export async function recordCall(tx: Tx, run: TaskClaim, note: CallNote): Promise<void> {
  const { kind, key, outcome } = note;
  if (!key.slot.startsWith('call:')) return;
  const change = await RunChange.of(tx, run.tenant, run.id);
  if (change === undefined) return;
  change.record(kind, {
    step: key.step,
    slot: key.slot,
    fence: run.fence,
    ...(outcome !== undefined && { outcome: hashOf('holdpoint/outcome/1', outcome) }),
  });
  await change.save();
}
