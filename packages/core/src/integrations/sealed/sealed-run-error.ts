import { AgentError } from '../../errors/agent-errors.ts';

/**
 * Why a token was refused:
 *
 * - `malformed`: it is no token, or only a piece of one
 * - `too-large`: it is longer than allowed
 * - `wrong-kind`: it is a token, but not of a sealed run
 * - `wrong-algorithm`: it is encrypted in another way than tokens of sealed runs are
 * - `unknown-key`: there is no key of the id that it names
 * - `tampered`: it was changed, or its key is not the one that has the id here
 * - `wrong-audience`: it was made for somebody else
 * - `expired`: its time is over
 * - `invalid-run`: it is genuine, but what it holds is no parked run, or one of a newer version
 * - `replayable`: there is no ledger, so it could be used twice
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
 * The token of a sealed run was refused; nothing was run. What was decrypted is not attached to it, so
 * that it can be logged.
 */
export class SealedRunError extends AgentError {
  override name = 'SealedRunError';
  readonly code = 'sealed-run-rejected';
  readonly problem: SealedRunProblem;

  constructor(problem: SealedRunProblem, reason: string) {
    super(`The sealed run was refused, and nothing was run: ${reason}`);
    this.problem = problem;
  }
}
