/** A step in the journal: the value that it returned, and the time at which it ended. */
export interface JournalEntry {
  readonly at: number;
  readonly value?: unknown;
}

/** The key that marks an object which stands for something that JSON does not have. */
const MARK = '$holdpoint';

interface MarkedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
}

const recordedErrors = new WeakSet<object>();

/** Returns true for an error that comes from the journal: a replay throws it again. */
export function isRecorded(error: unknown): boolean {
  return typeof error === 'object' && error !== null && recordedErrors.has(error);
}

/** Returns the text of an entry. Errors keep their name, message and code. */
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
  return typeof code === 'string' ? { name, message, code } : { name, message };
}

function restoredError({ name, message, code }: Record<string, unknown>): Error {
  const error = Object.assign(new Error(String(message)), { name }, code !== undefined && { code });
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
