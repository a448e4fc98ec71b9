/**
 * The key of a ledger entry: a slot of a parked step.
 *
 * Both parts come from stored histories. A ledger must not interpret them.
 */
export interface LedgerKey {
  /** The name of the step, from its step record in the history. */
  readonly step: string;
  /** The slot: `call:3` is the fourth call of the parked response, `round:0` its first resumption. */
  readonly slot: string;
}

/** Returns the key of a call by its index among the calls of the parked response. */
export function callKey(step: string, index: number): LedgerKey {
  return Object.freeze({ step, slot: `call:${index}` });
}

/** Returns the `ctx.idempotencyKey` of the call with a ledger key; `undefined` for the key of a round or a sub-agent. */
export function idempotencyKeyOf({ step, slot }: LedgerKey): string | undefined {
  const index = /^call:(\d+)$/.exec(slot)?.[1];
  return index === undefined ? undefined : `${step}:${index}`;
}

/**
 * Returns the key of a resumption of a step: 0 is the first. Later rounds belong to the run that parked again, so two
 * runs that continue one history (`onAlreadyResumed: 'replay'`) have different keys.
 */
export function roundKey(step: string, round: number, runId = ''): LedgerKey {
  return Object.freeze({ step, slot: round === 0 ? 'round:0' : `round:${round}:${runId}` });
}
