/** What must be there; fails if it is not. */
export function present<T>(value: T): NonNullable<T> {
  if (value === undefined || value === null) throw new Error('Something is missing.');
  return value;
}
