import { UserError } from 'holdpoint';
import { DeskError } from '../../errors/desk-error.ts';

/** A statement was parsed for tables that were changed since. Another connection parses it again. */
const OUTDATED = '0A000';
/** Prefixes of codes: connection exceptions, shutdown, an ended transaction that was idle or too long. */
const BROKEN: readonly string[] = ['08', '57P0', '25P03', '25P04', OUTDATED];
/** A serialization failure, a deadlock. */
const CONFLICTS: readonly string[] = ['40001', '40P01', OUTDATED];
const LOCK_NOT_AVAILABLE = '55P03';
/** The server ended a statement, because it took too long or because an operator cancelled it. */
const QUERY_CANCELED = '57014';
/** Prefixes of the codes of a rejected user, and of a database that does not exist. */
const REJECTED: readonly string[] = ['28', '3D'];
/** Prefix of the codes of broken constraints. */
const INTEGRITY_VIOLATION = '23';
/** Prefix of the codes of data exceptions. */
const DATA_EXCEPTION = '22';

/**
 * Converts an error of `pg` to an error of the desk. Conflicts and mistakes in statements are not
 * converted.
 */
export function storeError(error: unknown): unknown {
  if (isConflict(error)) return error;
  if (isBroken(error)) {
    return unreachable('The connection to the database was lost', error);
  }
  const code = codeOf(error);
  if (code === LOCK_NOT_AVAILABLE) {
    return new DeskError(
      'store-busy',
      'Another transaction held a lock for too long, so nothing was changed. Try again. If it happens often, ' +
        'check for a process that was stopped during a transaction.',
      { cause: error },
    );
  }
  if (code === QUERY_CANCELED) {
    return new DeskError(
      'store-busy',
      `The database ended a statement, so nothing was changed: ${messageOf(error)}. Try again. If it happens often, ` +
        'check the load and the locks of the database, or set a longer `statementTimeout`.',
      { cause: error },
    );
  }
  if (code?.startsWith(DATA_EXCEPTION) !== true) return error;
  return new UserError(
    `PostgreSQL cannot store a value: ${messageOf(error)}. Check it for null characters and numbers out of range.`,
    { cause: error },
  );
}

/** Returns whether a connection is unusable. Errors without a code of the server come from the network. */
export function isBroken(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || BROKEN.some((start) => code.startsWith(start));
}

/** Returns whether the transaction conflicted with another one, and may succeed if it is repeated. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.includes(codeOf(error) ?? '');
}

/**
 * Returns whether a statement would have violated a constraint, for example because a key exists by
 * now.
 */
export function isIntegrityViolation(error: unknown): boolean {
  return codeOf(error)?.startsWith(INTEGRITY_VIOLATION) === true;
}

/** Returns the error of a connection that could not be opened. */
export function cannotConnect(cause: unknown): DeskError {
  const code = codeOf(cause);
  const isRejected = code !== undefined && REJECTED.some((start) => code.startsWith(start));
  const advice = isRejected
    ? 'Check the user, the password and the database name of the `pool`.'
    : 'Check the address of the `pool`, and that the server runs. Then try again.';
  return unreachable('Cannot connect to the database', cause, advice);
}

/** Returns the error of a commit that the database did not confirm. */
export function outcomeUnknown(cause: unknown): DeskError {
  return new DeskError(
    'outcome-unknown',
    'The connection to the database was lost during the commit, so all changes were made or none. Check ' +
      `which before you try again. ${messageOf(cause)}`,
    { cause },
  );
}

/** Returns the error of a transaction that had a conflict in every attempt. */
export function tooManyConflicts(cause: unknown): DeskError {
  return new DeskError(
    'store-busy',
    `The transaction conflicted with others in every attempt, so nothing was changed. Try again. ${messageOf(cause)}`,
    { cause },
  );
}

function unreachable(problem: string, cause: unknown, advice = 'Try again.'): DeskError {
  return new DeskError(
    'store-unreachable',
    `${problem}, so nothing was changed: ${messageOf(cause)}. ${advice}`,
    { cause },
  );
}

/** Returns the code that the server gave an error. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined;
  return String(error.code);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
