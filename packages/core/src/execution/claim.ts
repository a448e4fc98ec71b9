import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerKey } from '../ledger/ledger-key.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { ToolCallPart } from '../messages/response-part.ts';

/** What a run needs to have its calls run at most once. */
export interface ClaimScope {
  readonly ledger: Ledger;
  /** How long a claim holds without a sign of life, in milliseconds. */
  readonly lease: number;
  /** What becomes of a call that somebody else is running: an error, or the outcome when it is there. */
  readonly onBusy: 'error' | 'wait';
  /** Throws if the ledger may have forgotten what it knew of the last response: it is too long ago. */
  requireKnown(): Promise<void>;
  /** Under which key the ledger has a call of the last response. */
  keyOf(call: ToolCallPart): LedgerKey;
}

/** A call that is to be claimed before it runs. */
export interface ClaimPlan {
  readonly key: LedgerKey;
  readonly digest: string | undefined;
  /** The attempt in doubt that whoever approved the call knew of: it may run again. */
  readonly knownDoubt: string | undefined;
}

/** How a call is claimed, from what was known about it when somebody was asked. */
export function claimPlan(
  claims: ClaimScope,
  call: ToolCallPart,
  asked: CallDetails | undefined,
): ClaimPlan {
  const { digest, inDoubt } = asked ?? {};
  return { key: claims.keyOf(call), digest, knownDoubt: inDoubt?.attempt };
}
