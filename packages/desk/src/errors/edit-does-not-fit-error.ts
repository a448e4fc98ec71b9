import { DeskError } from './desk-error.ts';

/** Edited arguments do not fit the schema of the tool. */
export class EditDoesNotFitError extends DeskError {
  override name = 'EditDoesNotFitError';
  /** The problems, with their positions. */
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
