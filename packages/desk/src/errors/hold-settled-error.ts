import type { DecisionRow } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { DeskError } from './desk-error.ts';

/** A decision about a hold that is settled already. */
export class HoldSettledError extends DeskError {
  override name = 'HoldSettledError';
  /** The settled hold. */
  readonly hold: HoldRow;
  /** The decision about the hold; `undefined` if it was settled without one. */
  readonly decision: DecisionRow | undefined;

  constructor(hold: HoldRow, decision: DecisionRow | undefined) {
    super(
      'hold-settled',
      `${whatHappened(hold, decision)} Nothing was written. Check the state of the run.`,
    );
    this.hold = hold;
    this.decision = decision;
  }
}

function whatHappened({ id, outcome }: HoldRow, decision: DecisionRow | undefined): string {
  if (decision === undefined) return `Hold \`${id}\` is ${outcome ?? 'settled'}.`;
  return `Hold \`${id}\` was decided before, by \`${decision.by.id}\` with \`${decision.decision.kind}\`.`;
}
