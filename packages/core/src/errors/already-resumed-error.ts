import { UserError } from './user-error.ts';

/** Somebody has resumed this parked run before; nothing was run. */
export class AlreadyResumedError extends UserError {
  override name = 'AlreadyResumedError';
  override readonly code = 'already-resumed';
  /** The step that the run was parked in. */
  readonly step: string;

  constructor(step: string) {
    super(
      'Nothing was run: this parked run was resumed before. Go on with the history of that run, or set ' +
        "onAlreadyResumed to 'replay' to go on a second time with the results that are recorded.",
    );
    this.step = step;
  }
}
