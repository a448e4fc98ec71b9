/** Returns the fields that have a value. */
export function definedFields<Fields extends object>(fields: Fields): Partial<Fields> {
  const present: Partial<Fields> = {};
  for (const key of Object.keys(fields) as (keyof Fields)[]) {
    if (fields[key] !== undefined) present[key] = fields[key];
  }
  return present;
}
