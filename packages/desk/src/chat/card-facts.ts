import type { HoldWithDecisions } from '../desk/method-options.ts';
import type { RequestedChanges } from '../desk/requested-changes.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { Secrets } from '../redaction/secrets.ts';

/** The facts that a card shows. */
export interface CardFacts {
  readonly hold: HoldWithDecisions;
  /** The changes that were requested last, about this call or an earlier call of the tool in the run. */
  readonly changes?: RequestedChanges | undefined;
  readonly redaction: Redaction;
  readonly secrets: Secrets;
  /** The address of the hold in the inbox, if the desk has one. */
  readonly url: string | undefined;
}
