/** An argument or option that does not make sense. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Ends the program with an exit code when everything was printed. */
export class Exit extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** Ends the program with an exit code. */
export function exitWith(exitCode: number): void {
  if (exitCode !== 0) throw new Exit(exitCode);
}
