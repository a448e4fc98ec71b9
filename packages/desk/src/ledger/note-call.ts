import type { JsonValue } from 'holdpoint';
import type { LedgerKey } from 'holdpoint/ledger';
import type { AuditKind } from '../model/audit-row.ts';
import { hashOf } from '../model/hash.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Tx } from '../store/store.ts';
import { RunChange } from '../transitions/run-change.ts';

/** What became of a call. */
export interface CallNote {
  readonly kind: AuditKind;
  readonly key: LedgerKey;
  readonly outcome?: JsonValue | undefined;
}

/** Writes what became of a call into the audit of its run; other slots are the ledger's own business. */
export async function noteCall(tx: Tx, run: TaskClaim, note: CallNote): Promise<void> {
  const { kind, key, outcome } = note;
  if (!key.slot.startsWith('call:')) return;
  const change = await RunChange.of(tx, run.tenant, run.id);
  if (change === undefined) return;
  change.note(kind, {
    step: key.step,
    slot: key.slot,
    fence: run.fence,
    ...(outcome !== undefined && { outcome: hashOf('holdpoint/outcome/1', outcome) }),
  });
  await change.save();
}
