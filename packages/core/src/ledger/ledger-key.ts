/**
 * What an entry of a ledger is about: a slot of a parked step.
 *
 * Both come from stored histories, so a ledger takes them as text without a meaning.
 */
export interface LedgerKey {
  /** The step, as its record in the history names it. */
  readonly step: string;
  /** Such as `call:3` for the fourth call of the parked response, or `round:0` for its first resumption. */
  readonly slot: string;
}

/** The key of a call, by its position among the calls of the parked response. */
export function callKey(step: string, index: number): LedgerKey {
  return Object.freeze({ step, slot: `call:${index}` });
}

/**
 * Returns the `ctx.idempotencyKey` of the call that a ledger key names; `undefined` for a key that
 * names no single call of a response.
 */
export function idempotencyKeyOf({ step, slot }: LedgerKey): string | undefined {
  const index = /^call:(\d+)$/.exec(slot)?.[1];
  return index === undefined ? undefined : `${step}:${index}`;
}

/**
 * The key of a resumption of a step: 0 is the first. Later rounds are those of the run that has parked
 * again: two that go on with one history (`onAlreadyResumed: 'replay'`) each have their own.
 */
export function roundKey(step: string, round: number, runId = ''): LedgerKey {
  return Object.freeze({ step, slot: round === 0 ? 'round:0' : `round:${round}:${runId}` });
}
