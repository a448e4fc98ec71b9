/** Returns the known name that differs from `unknown` in few letters, or `undefined`. */
export function closestName(unknown: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((name) => ({ name, distance: editDistance(unknown.toLowerCase(), name) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.floor(name.length / 3)))
    .toSorted((one, other) => one.distance - other.distance);
  return best?.name;
}

/** Counts the letters to insert, remove or replace to get from one text to the other. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      const removed = (previous[column + 1] ?? 0) + 1;
      const inserted = (current[column] ?? 0) + 1;
      current.push(Math.min(replaced, removed, inserted));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
