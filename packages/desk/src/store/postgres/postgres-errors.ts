import { UserError } from 'holdpoint';
import { DeskError } from '../../errors/desk-error.ts';

/** What `pg` throws, in words of the desk; what is for programs, or a mistake in a statement, stays as it is. */
export function storeError(error: unknown): unknown {
  if (isPassing(error)) return error;
  if (isBroken(error)) return connectionLost(error);
  const code = codeOf(error);
  if (code === LOCK_NOT_AVAILABLE) return lockedTooLong(error);
  return code?.startsWith(DATA_EXCEPTION) ? cannotHold(error) : error;
}

/** Whether the connection is of no use any more. What is not the server's own word comes from the way there. */
export function isBroken(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || BROKEN.some((start) => code.startsWith(start));
}

/** Whether the same transaction may succeed when it is tried again: others were in its way. */
export function isPassing(error: unknown): boolean {
  return PASSING.includes(codeOf(error) ?? '');
}

/** A statement was parsed for tables that somebody has changed since: another connection parses it anew. */
const OUTDATED = '0A000';
/** Codes of errors, or how they begin: connection exceptions, the server ends, it has ended an idle transaction. */
const BROKEN: readonly string[] = ['08', '57P0', '25P03', OUTDATED];
/** A serialization failure, a deadlock. */
const PASSING: readonly string[] = ['40001', '40P01', OUTDATED];
const LOCK_NOT_AVAILABLE = '55P03';
const DATA_EXCEPTION = '22';

/** The code that the server has given an error. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined;
  return String(error.code);
}

export function cannotConnect(cause: unknown): DeskError {
  return new DeskError(
    'store-unreachable',
    `Cannot connect to the database. Nothing was changed: try again. ${textOf(cause)}`,
    { cause },
  );
}

function connectionLost(cause: unknown): DeskError {
  return new DeskError(
    'store-unreachable',
    `The connection to the database was lost. Nothing was changed: try again. ${textOf(cause)}`,
    { cause },
  );
}

/** The connection was lost when the database had been told to keep everything, before it said that it has. */
export function outcomeUnknown(cause: unknown): DeskError {
  return new DeskError(
    'outcome-unknown',
    'The connection to the database was lost at the very end of a transaction: all of it was written, or ' +
      `nothing. Look which before you try again. ${textOf(cause)}`,
    { cause },
  );
}

function lockedTooLong(cause: unknown): DeskError {
  return new DeskError(
    'store-busy',
    'Others have locked what the transaction needs for too long. Nothing was changed: try again. If it ' +
      'happens often, look for a process that was stopped in the middle of a transaction.',
    { cause },
  );
}

export function triedTooOften(cause: unknown): DeskError {
  return new DeskError(
    'store-busy',
    `Others were in the way of the transaction again and again. Nothing was changed: try again. ${textOf(cause)}`,
    { cause },
  );
}

function cannotHold(cause: unknown): UserError {
  return new UserError(`The database cannot take what it was given: ${textOf(cause)}`, { cause });
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
