/** Types to implement a `Ledger`, and the digests that it stores. */

export type { LedgerErrorCode } from '../errors/error-code.ts';
export { canonicalJson } from '../internal/canonical-json.ts';
export { callDigest, type DigestedCall } from '../ledger/digest.ts';
export type { LedgerKey } from '../ledger/ledger-key.ts';
export type {
  LedgerBusy,
  LedgerClaim,
  LedgerClaimOptions,
  LedgerClaimState,
  LedgerConflict,
  LedgerEntryState,
  LedgerHeld,
  LedgerInDoubt,
  LedgerRecorded,
  LedgerRecordOptions,
  LedgerRecordState,
  LedgerResolution,
  LedgerSettled,
} from '../ledger/ledger.ts';
export type { MemoryLedgerOptions } from '../ledger/memory-ledger.ts';
export { schemaHash } from '../ledger/schema-hash.ts';
