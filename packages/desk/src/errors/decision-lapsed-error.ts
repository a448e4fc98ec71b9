import { DeskError } from './desk-error.ts';

/** A call was approved, but too long ago: people are asked again, and it has not started. */
export class DecisionLapsedError extends DeskError {
  override name = 'DecisionLapsedError';

  constructor() {
    super(
      'decision-lapsed',
      'The approval of the call is no longer valid: it did not start in time. Its hold is open again.',
    );
  }
}
