let lastTime = Number.NaN;
let lastText = '';

/** A time as text. Most of what a run does within a millisecond has the same one: 4 % of a plain step. */
export function isoTime(time: number): string {
  if (time !== lastTime) {
    lastTime = time;
    lastText = new Date(time).toISOString();
  }
  return lastText;
}
