import { DeskError } from './desk-error.ts';

/** An input does not fit the schema of the question. */
export class InputDoesNotFitError extends DeskError {
  override name = 'InputDoesNotFitError';
  /** The problems, with JSON pointers to the members; an empty path is the input as a whole. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];

  constructor(problems: InputDoesNotFitError['problems']) {
    const list = problems.map(({ path, message }) =>
      path === '' ? message : `${path}: ${message}`,
    );
    super(
      'input-does-not-fit',
      `The input does not fit the schema of the question. Nothing was written. ${list.join(' ')}`,
    );
    this.problems = Object.freeze([...problems]);
  }
}
