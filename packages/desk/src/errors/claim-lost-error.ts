import { DeskError } from './desk-error.ts';

/** A worker was too slow, or the run was cancelled: somebody else decides now, and nothing was written. */
export class ClaimLostError extends DeskError {
  override name = 'ClaimLostError';

  constructor() {
    super(
      'claim-lost',
      'The claim is no longer valid: its lease ran out and somebody else has taken the work, or it was cancelled. ' +
        'Stop working on it.',
    );
  }
}
