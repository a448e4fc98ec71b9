/** An option of a command. */
export interface Option {
  /** A switch is given or not; texts can be given several times. */
  readonly kind: 'switch' | 'text' | 'texts';
  /** What stands for its value in the help. */
  readonly value?: string | undefined;
  readonly help: string;
}

/** Options by their names, without the dashes. */
export type Options = Readonly<Record<string, Option>>;

/** One thing that the program can do. */
export interface Command {
  readonly name: string;
  /** The command with what it takes, as it is typed after `holdpoint`. */
  readonly usage: string;
  /** A few words for the list of commands. */
  readonly summary: string;
  /** What `--help` tells about it. */
  readonly description: string;
  readonly options?: Options | undefined;
  /** Does it; gives the exit code. */
  run(args: readonly string[]): Promise<number>;
}

/** The command was typed in a way that makes no sense. */
export class UsageError extends Error {
  override name = 'UsageError';
}
