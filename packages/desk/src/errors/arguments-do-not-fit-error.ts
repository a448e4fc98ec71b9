import { DeskError } from './desk-error.ts';

/** The arguments of a request do not fit the schema of its tool. */
export class ArgumentsDoNotFitError extends DeskError {
  override name = 'ArgumentsDoNotFitError';
  /** The problems, with their positions. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];

  constructor(problems: ArgumentsDoNotFitError['problems']) {
    const where = problems.map(({ path, message }) => `${path || '/'}: ${message}`).join(' ');
    super(
      'arguments-do-not-fit',
      `The arguments do not fit the schema of the tool. Nothing was written. ${where}`,
    );
    this.problems = Object.freeze([...problems]);
  }
}
