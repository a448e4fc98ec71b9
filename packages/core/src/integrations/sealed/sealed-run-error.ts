import { AgentError } from '../../errors/agent-errors.ts';

/**
 * The reason for which a token was rejected:
 *
 * - `malformed`: it is not a token, or is incomplete
 * - `too-large`: it is longer than allowed
 * - `wrong-kind`: it is a token of another kind
 * - `wrong-algorithm`: it uses another algorithm than sealed runs
 * - `unknown-key`: no key has the id in its header
 * - `tampered`: it was changed, or another key has the same id here
 * - `wrong-audience`: it was sealed for another audience
 * - `expired`: it is expired
 * - `invalid-run`: it is authentic, but contains no parked run, or one of a newer version
 * - `replayable`: without a ledger it could be used twice
 */
export type SealedRunProblem =
  | 'malformed'
  | 'too-large'
  | 'wrong-kind'
  | 'wrong-algorithm'
  | 'unknown-key'
  | 'tampered'
  | 'wrong-audience'
  | 'expired'
  | 'invalid-run'
  | 'replayable';

/**
 * An error for a token that was rejected before anything executed. It contains no decrypted data, so it
 * can be logged.
 */
export class SealedRunError extends AgentError {
  override name = 'SealedRunError';
  readonly code = 'sealed-run-rejected';
  readonly problem: SealedRunProblem;

  constructor(problem: SealedRunProblem, reason: string) {
    super(`The sealed run was rejected, and nothing was executed: ${reason}`);
    this.problem = problem;
  }
}
