/** The text for a thrown value that has none, such as a revoked proxy. */
const NO_TEXT = 'A value was thrown that has no text form.';

/** Checks whether a thrown value is an instance of a class. Unlike `instanceof`, it never throws. */
export function isThrown<Type>(
  thrown: unknown,
  type: abstract new (...args: never) => Type,
): thrown is Type {
  try {
    return thrown instanceof type;
  } catch {
    return false;
  }
}

/** Returns the message of an error, or the text of another thrown value. It never throws. */
export function messageOf(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : undefined;
    return typeof message === 'string' ? message : String(thrown);
  } catch {
    return NO_TEXT;
  }
}

/** Returns the name and the message of an error, or the text of another thrown value. It never throws. */
export function describeThrown(thrown: unknown): string {
  try {
    return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  } catch {
    return messageOf(thrown);
  }
}

/** Checks whether a thrown value is an error whose name, message and stack can be read. It never throws. */
export function isReadableError(thrown: unknown): thrown is Error {
  try {
    if (!(thrown instanceof Error)) return false;
    const { name, message, stack } = thrown;
    return [name, message, stack ?? ''].every((text) => typeof text === 'string');
  } catch {
    return false;
  }
}
