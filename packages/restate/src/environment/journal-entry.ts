import { LedgerError, UserError } from 'holdpoint';

/** A step in the journal: the value that it returned, and the time at which it ended. */
export interface JournalEntry {
  readonly at: number;
  readonly value?: unknown;
}

/** The key of an object that represents a value that JSON does not have. */
const MARK = '$holdpoint';

interface MarkedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
  readonly type?: 'user' | 'ledger';
  readonly toolCallId?: string | undefined;
  /** The outcome of a call that executed but could not be settled. An operator records it. */
  readonly outcome?: unknown;
  readonly cause?: unknown;
}

const recordedErrors = new WeakSet<object>();

/** Returns true for an error that comes from the journal: a replay throws it again. */
export function isRecorded(error: unknown): boolean {
  return typeof error === 'object' && error !== null && recordedErrors.has(error);
}

/** Returns the text of an entry. Errors keep their name, message and code; those of a ledger keep all members. */
export function entryText(entry: JournalEntry): string {
  return JSON.stringify(entry, function (this: unknown, key, member: unknown) {
    // The value before `toJSON` converted it.
    const original: unknown = Object(this)[key];
    if (original instanceof Error) return { [MARK]: 'error', ...markedError(original) };
    if (isObject(member) && Object.hasOwn(member, MARK)) {
      return { [MARK]: 'object', members: Object.entries(member) };
    }
    return member;
  });
}

/** Reads the text of an entry. */
export function readEntry(text: string): JournalEntry {
  return JSON.parse(text, (_key, member: unknown) => {
    if (!isObject(member) || !Object.hasOwn(member, MARK)) return member;
    return member[MARK] === 'error' ? restoredError(member) : restoredObject(member);
  });
}

function markedError(error: Error): MarkedError {
  const { name, message } = error;
  const code: unknown = Reflect.get(error, 'code');
  const marked = typeof code === 'string' ? { name, message, code } : { name, message };
  if (error instanceof LedgerError) {
    const { toolCallId, outcome, cause } = error;
    return { ...marked, type: 'ledger', toolCallId, outcome, cause };
  }
  return error instanceof UserError ? { ...marked, type: 'user' } : marked;
}

function restoredError(marked: Record<string, unknown>): Error {
  // `entryText` wrote these members.
  const { name, message, code, type, ...more } = marked as unknown as MarkedError;
  const error =
    type === 'ledger'
      ? // The code came from an error of this class.
        new LedgerError(code as LedgerError['code'], message, more)
      : Object.assign(
          type === 'user' ? new UserError(message) : new Error(message),
          { name },
          code !== undefined && { code },
        );
  recordedErrors.add(error);
  return error;
}

function restoredObject({ members }: Record<string, unknown>): unknown {
  // `entryText` wrote the entries of an object.
  return Object.fromEntries(members as readonly (readonly [string, unknown])[]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
