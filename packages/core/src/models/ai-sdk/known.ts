/** The fields that have a value. */
export function known<Fields extends object>(fields: Fields): Partial<Fields> {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Partial<Fields>; // fewer entries of the same object
}
