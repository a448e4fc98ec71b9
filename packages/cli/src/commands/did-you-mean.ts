/** Returns `' Did you mean: fork?'` for the known word that is most like a mistyped one, or nothing. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const most = Math.max(1, Math.floor(typed.length / 3));
  const [nearest] = known
    .map((word) => ({ word, distance: distanceBetween(typed, word) }))
    .filter(
      ({ word, distance }) => distance <= most || (typed.length > 1 && word.startsWith(typed)),
    )
    .toSorted((one, other) => one.distance - other.distance);
  return nearest === undefined ? '' : ` Did you mean: ${nearest.word}?`;
}

/** How many letters have to be inserted, removed, replaced or swapped with their neighbour. */
function distanceBetween(one: string, other: string): number {
  let earlier: readonly number[] = [];
  let before = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const now = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      now[column] = Math.min(
        (before[column] ?? 0) + 1,
        (now[column - 1] ?? 0) + 1,
        (before[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (earlier[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    earlier = before;
    before = now;
  }
  return before.at(-1) ?? 0;
}
