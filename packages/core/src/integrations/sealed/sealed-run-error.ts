import { AgentError } from '../../errors/agent-error.ts';

/**
 * Why a token was refused:
 *
 * - `malformed`: it is no token, or only a piece of one
 * - `too_large`: it is longer than allowed
 * - `wrong_kind`: it is a token, but not of a sealed run
 * - `wrong_algorithm`: it is encrypted in another way than tokens of sealed runs are
 * - `unknown_key`: there is no key of the id that it names
 * - `tampered`: it was changed, or its key is not the one that has the id here
 * - `wrong_audience`: it was made for somebody else
 * - `expired`: its time is over
 * - `invalid_run`: it is genuine, but what it holds is no parked run, or one of a newer version
 * - `replayable`: there is no ledger, so it could be used twice
 */
export type SealedRunProblem =
  | 'malformed'
  | 'too_large'
  | 'wrong_kind'
  | 'wrong_algorithm'
  | 'unknown_key'
  | 'tampered'
  | 'wrong_audience'
  | 'expired'
  | 'invalid_run'
  | 'replayable';

/**
 * The token of a sealed run was refused; nothing was run. What was decrypted is not attached to it, so
 * that it can be logged.
 */
export class SealedRunError extends AgentError {
  override name = 'SealedRunError';
  readonly code: SealedRunProblem;

  constructor(code: SealedRunProblem, problem: string) {
    super(`The sealed run was refused, and nothing was run: ${problem}`);
    this.code = code;
  }
}
