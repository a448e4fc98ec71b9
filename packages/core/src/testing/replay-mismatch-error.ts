import { AgentError } from '../errors/agent-errors.ts';

/** A run that is played back asked for something else than the run that was recorded. */
export class ReplayMismatchError extends AgentError {
  override name = 'ReplayMismatchError';
  readonly code = 'replay-mismatch';
  /** What the run that was recorded asked for, such as `step tool:delete_file`. */
  readonly recorded: string;
  /** What the run asks for now. */
  readonly asked: string;

  constructor(recorded: string, asked: string, position: number) {
    super(
      `The run did not take the same path: it asked for \`${asked}\` where \`${recorded}\` was ` +
        `recorded (entry ${position}). What comes before that must depend on nothing but the history, ` +
        'the options and the environment.',
    );
    this.recorded = recorded;
    this.asked = asked;
  }
}
