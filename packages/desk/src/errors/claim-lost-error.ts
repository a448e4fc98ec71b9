import { DeskError } from './desk-error.ts';

/** A worker lost its claim: its lease ended, or the run was cancelled. Nothing was written. */
export class ClaimLostError extends DeskError {
  override name = 'ClaimLostError';
  /** `revoked` if the run was cancelled, otherwise `lease-ended`. */
  readonly reason: 'lease-ended' | 'revoked';

  constructor(reason: 'lease-ended' | 'revoked' = 'lease-ended') {
    super(
      'claim-lost',
      'The claim is no longer valid: its lease ended and another worker has claimed the task, or the run was cancelled. ' +
        'Stop working on it.',
    );
    this.reason = reason;
  }
}
