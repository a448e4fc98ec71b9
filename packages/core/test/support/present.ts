/** Returns a value that must not be missing; throws if it is. */
export function present<T>(value: T): NonNullable<T> {
  if (value === undefined || value === null) throw new Error('Something is missing.');
  return value;
}
