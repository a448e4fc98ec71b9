import { DecisionExpiredError } from '../errors/decision-expired-error.ts';
import { callDigestOf } from '../model/hold-row.ts';
import type { SettledHold } from '../transitions/begin-run.ts';

/** The deadlines for the start of the approved calls of a run. */
export class CallDeadlines {
  readonly #until = new Map<string, number>();
  /** The digests of calls that were rejected after their deadline. */
  readonly missed: Set<string> = new Set();

  /** @internal A desk creates it when it executes a run. */
  constructor(settled: readonly SettledHold[]) {
    for (const { hold, startsUntil } of settled) {
      if (startsUntil !== undefined) this.#until.set(callDigestOf(hold), startsUntil);
    }
  }

  /** Throws after the deadline of a call. */
  require(digest: string | undefined, now: number): void {
    const until = digest === undefined ? undefined : this.#until.get(digest);
    if (digest === undefined || until === undefined || now <= until) return;
    this.missed.add(digest);
    throw new DecisionExpiredError();
  }
}
