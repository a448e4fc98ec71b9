/** Types to implement a `Ledger`, and the digests that it stores. */

export type { LedgerErrorCode } from '../errors/agent-errors.ts';
export { canonicalJson } from '../internal/canonical-json.ts';
export { callDigest, type DigestedCall, schemaHash } from '../ledger/digest.ts';
export type { MemoryLedgerOptions } from '../ledger/memory-ledger.ts';
export type {
  LedgerBusy,
  LedgerClaim,
  LedgerClaimOptions,
  LedgerClaimState,
  LedgerConflict,
  LedgerEntryState,
  LedgerHeld,
  LedgerInDoubt,
  LedgerKey,
  LedgerRecorded,
  LedgerRecordOptions,
  LedgerRecordState,
  LedgerResolution,
  LedgerSettled,
} from '../ledger/ledger.ts';
