/** A difference below this may come from the way; the header has whole seconds only. */
const TOO_SMALL = 3_000;

let ahead = 0;

/** The time by the clock of the desk, as far as it is known: times of holds are by that clock. */
export function deskNow(): number {
  return Date.now() + ahead;
}

/** Takes note of the time that an answer of the desk has in its head. */
export function noteDeskTime(date: string | null): void {
  const difference = Date.parse(date ?? '') - Date.now();
  if (Number.isNaN(difference)) return;
  ahead = Math.abs(difference) < TOO_SMALL ? 0 : difference;
}
