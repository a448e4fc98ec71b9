/** Casts a value to a wrong type, as in a program without types. */
export function untyped<T>(value: unknown): T {
  // That it may be wrong is what it is for.
  return value as T;
}
