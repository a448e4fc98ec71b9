/** One thing that the program can do. */
export interface Command {
  readonly name: string;
  /** The command with what it takes, as it is typed after `holdpoint`. */
  readonly usage: string;
  /** A few words for the list of commands. */
  readonly summary: string;
  /** What `--help` tells about it. */
  readonly description: string;
  /** Does it; gives the exit code. */
  run(args: readonly string[]): Promise<number>;
}

/** The command was typed in a way that makes no sense. */
export class UsageError extends Error {
  override name = 'UsageError';
}
