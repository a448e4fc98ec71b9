/** Casts a value to a wrong type, as in a program without types. */
export function untyped<T>(value: unknown): T {
  // The cast is wrong on purpose.
  return value as T;
}
