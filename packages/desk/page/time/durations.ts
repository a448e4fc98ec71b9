const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A time that passes, in two units at most: `2 days`, `5 h 12 min`, `12 min 4 s`, `42 s`. */
export function duration(ms: number): string {
  const left = Math.max(0, ms);
  if (left >= 2 * DAY) return `${Math.floor(left / DAY)} days`;
  if (left >= HOUR) return two(left, HOUR, 'h', MINUTE, 'min');
  if (left >= MINUTE) return two(left, MINUTE, 'min', SECOND, 's');
  return `${Math.floor(left / SECOND)} s`;
}

/** How long ago something was, roughly: `under a minute`, `3 minutes`, `2 hours`, `5 days`. */
export function roughly(ms: number): string {
  if (ms < MINUTE) return 'under a minute';
  if (ms < HOUR) return units(ms, MINUTE, 'minute');
  if (ms < 2 * DAY) return units(ms, HOUR, 'hour');
  return units(ms, DAY, 'day');
}

/** How urgent it is to answer. */
export type Urgency = 'calm' | 'soon' | 'now' | 'over';

/** What the time that is left means. */
export function urgencyOf(msLeft: number): Urgency {
  if (msLeft <= 0) return 'over';
  if (msLeft < 5 * MINUTE) return 'now';
  return msLeft < HOUR ? 'soon' : 'calm';
}

function two(ms: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % big) / small);
  const whole = `${Math.floor(ms / big)} ${bigName}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`;
}

function units(ms: number, unit: number, name: string): string {
  const count = Math.floor(ms / unit);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
