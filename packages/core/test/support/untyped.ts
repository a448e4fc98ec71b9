/** A value as what it is not, as it comes from somebody who has no types. */
export function untyped<T>(value: unknown): T {
  // That it may be wrong is what it is for.
  return value as T;
}
