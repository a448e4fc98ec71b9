/** Returns the value. Throws if it is missing, which only a defect of this package can cause. */
export function invariant<Value>(value: Value, message: string): Exclude<Value, undefined | null> {
  if (value === undefined || value === null) throw new Error(`Defect in Holdpoint: ${message}.`);
  // Exactly the excluded values were ruled out.
  return value as Exclude<Value, undefined | null>;
}
