/** Throws if a condition that the code relies on does not hold. That is a bug in Holdpoint. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant violated: ${message}`);
}
