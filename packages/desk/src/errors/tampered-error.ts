import { DeskError } from './desk-error.ts';

/** A row that determines a decision does not match the audit or the history. The run does not resume. */
export class TamperedError extends DeskError {
  override name = 'TamperedError';

  constructor(what: string) {
    super(
      'tampered',
      `${what} Something outside of the desk changed the database, so nothing of the run executes. ` +
        'Compare the database with a backup and with the audit, then cancel the run.',
    );
  }
}
