import { DeskError } from './desk-error.ts';

/** An approved call did not start while its approval was valid. The approval is requested again. */
export class DecisionExpiredError extends DeskError {
  override name = 'DecisionExpiredError';

  constructor() {
    super(
      'decision-expired',
      'The approval of the call is no longer valid: it did not start in time. Its hold is open again.',
    );
  }
}
