import { DeskError } from './desk-error.ts';

/** A worker lost its claim: its lease ended, or the run was cancelled. Nothing was written. */
export class ClaimLostError extends DeskError {
  override name = 'ClaimLostError';

  constructor() {
    super(
      'claim-lost',
      'The claim is no longer valid: its lease ended and another worker has claimed the task, or the run was cancelled. ' +
        'Stop working on it.',
    );
  }
}
