/** An error as a field of a log line. */
export interface ErrorFields {
  readonly name: string;
  readonly code?: string | number | undefined;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly cause?: ErrorFields | undefined;
}

const MAX_CAUSES = 5;
const MAX_MESSAGE = 2_000;
const MAX_STACK = 8_000;

/**
 * Returns the name, code, message, stack and causes of an error. It omits other members, because
 * errors of providers can contain the prompt.
 */
export function errorFields(error: unknown, depth = 1): ErrorFields {
  const code = memberOf(error, 'code');
  const cause = memberOf(error, 'cause');
  const stack = memberOf(error, 'stack');
  return {
    name: textOr(memberOf(error, 'name'), 'Error'),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    message: textOr(memberOf(error, 'message'), plain(error), MAX_MESSAGE),
    ...(typeof stack === 'string' && { stack: textOr(stack, '', MAX_STACK) }),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: errorFields(cause, depth + 1) }),
  };
}

/** Thrown values may have getters that throw. */
function memberOf(value: unknown, name: string): unknown {
  try {
    return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  } catch {
    return undefined;
  }
}

function textOr(value: unknown, otherwise: string, max = MAX_MESSAGE): string {
  return withoutCredentials(typeof value === 'string' ? value : otherwise).slice(0, max);
}

/** Drivers quote connection strings, and HTTP clients quote headers. */
function withoutCredentials(text: string): string {
  return text
    .replaceAll(/(:\/\/)[^\s/@:]*:[^\s/@]*@/g, '$1***@')
    .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, '$1 ***');
}

function plain(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'A value that cannot be shown was thrown.';
  }
}
