import { UserError } from './user-error.ts';

/** A document from outside does not have the shape it must have. */
export class InvalidJsonError extends UserError {
  override name = 'InvalidJsonError';
  override readonly code = 'invalid-json';
  /** Where in the document the first mistake is, such as `messages[3].parts[0].toolName`. */
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
    this.path = path;
  }
}
