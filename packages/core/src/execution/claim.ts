import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerKey } from '../ledger/ledger-key.ts';
import type { CallDetails } from '../messages/call-details.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { isSafeToRepeat, type ToolDefinition } from '../models/tool-definition.ts';
import type { CallsBelow } from './calls-below.ts';

/** What a run needs to have its calls run at most once. */
export interface ClaimScope {
  readonly ledger: Ledger;
  /** How long a claim holds without a sign of life, in milliseconds. */
  readonly lease: number;
  /** What becomes of a call that somebody else is running: an error, or the outcome when it is there. */
  readonly onBusy: 'error' | 'wait';
  /**
   * Throws if the ledger may have forgotten entries of the last response. Does not throw on replay: an earlier attempt
   * passed this check.
   */
  requireKnown(): Promise<void>;
  /** Throws if the ledger may have forgotten entries of the last response, also on replay. For code inside a step. */
  requireKnownNow(): Promise<void>;
  /** Under which key the ledger has a call of the last response. */
  keyOf(call: ToolCallPart): LedgerKey;
  /** Whether a call runs once although its tool does not say so, unless the tool says that it is safe. */
  readonly unlessSafe: boolean;
  /** Whether a call is one of the last response, and not one that another tool has made. */
  isOfModel(call: ToolCallPart): boolean;
  /** What agents for the same call have done before, where the run is one of an agent below. */
  callsBelow(): CallsBelow | undefined;
}

/** Whether calls to a tool run once although nobody has to approve them. */
export function runsOnce(claims: ClaimScope | undefined, definition: ToolDefinition): boolean {
  const { once, kind } = definition;
  return (
    once ?? (claims?.unlessSafe === true && kind !== 'external' && !isSafeToRepeat(definition))
  );
}

/** A call that is to be claimed before it runs. */
export interface ClaimPlan {
  readonly key: LedgerKey;
  readonly digest: string | undefined;
  /** The attempt in doubt that whoever approved the call knew of: it may run again. */
  readonly knownDoubt: string | undefined;
  /** What agents for the same call have done before; `undefined` if it does not matter. */
  readonly below: CallsBelow | undefined;
  /** Whether somebody has looked at the call, and answered it. */
  readonly isAnswered: boolean;
}

/** How a call is claimed, from what was known about it when somebody was asked. */
export function claimPlan(
  claims: ClaimScope,
  call: ToolCallPart,
  {
    asked,
    isAnswered,
    once,
  }: {
    readonly asked: CallDetails | undefined;
    readonly isAnswered: boolean;
    readonly once: boolean;
  },
): ClaimPlan {
  const { digest, inDoubt } = asked ?? {};
  const below = once ? claims.callsBelow() : undefined;
  return { key: claims.keyOf(call), digest, knownDoubt: inDoubt?.attempt, below, isAnswered };
}
