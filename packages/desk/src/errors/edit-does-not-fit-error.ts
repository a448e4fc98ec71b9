import { DeskError } from './desk-error.ts';

/** Arguments that somebody wanted to put in place of those of a call do not fit its schema. */
export class EditDoesNotFitError extends DeskError {
  override name = 'EditDoesNotFitError';
  /** What is wrong, and where. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];

  constructor(problems: EditDoesNotFitError['problems']) {
    const where = problems.map(({ path, message }) => `${path || '/'}: ${message}`).join(' ');
    super(
      'edit-does-not-fit',
      `The arguments do not fit the schema of the tool. Nothing was written. ${where}`,
    );
    this.problems = Object.freeze([...problems]);
  }
}
