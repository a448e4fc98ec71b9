import type { DeskError, DeskErrorCode } from './desk-error.ts';

/** Codes of errors in the store or a worker. Only operators see the messages of such errors. */
export type InternalCode =
  | 'claim-lost'
  | 'decision-expired'
  | 'outcome-unknown'
  | 'store-busy'
  | 'store-unreachable'
  | 'tampered';

const INTERNAL: Readonly<Record<InternalCode, string>> = {
  'claim-lost': 'Another worker has claimed the run. Nothing was written. Read its state again.',
  'decision-expired': 'The approval is no longer valid. Read the hold again.',
  'outcome-unknown':
    'The request may have been applied, or not. Check the state before you send it again.',
  'store-busy': 'The store is busy. Nothing was written. Retry in a moment.',
  'store-unreachable': 'The store cannot be reached. Nothing was written. Retry in a moment.',
  tampered:
    'The database of the desk was changed by another program. Nothing was written. Ask the operator.',
};

/** Returns whether only operators may see the message of an error with this code. */
export function isInternalCode(code: DeskErrorCode): code is InternalCode {
  return Object.hasOwn(INTERNAL, code);
}

/**
 * Returns the message of an error for everyone outside: callers, models and people in chats. Messages about the store
 * contain addresses and users of the database.
 */
export function publicMessageOf({ code, message }: DeskError): string {
  return isInternalCode(code) ? INTERNAL[code] : message;
}
