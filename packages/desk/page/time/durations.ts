const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns a duration in at most two units: `2 days`, `5 h 12 min`, `12 min 4 s`, `42 s`. */
export function formatDuration(ms: number): string {
  const left = Math.max(0, ms);
  if (left >= 2 * DAY) return `${Math.floor(left / DAY)} days`;
  if (left >= HOUR) return twoUnits(left, HOUR, 'h', MINUTE, 'min');
  if (left >= MINUTE) return twoUnits(left, MINUTE, 'min', SECOND, 's');
  return `${Math.floor(left / SECOND)} s`;
}

/** Returns a duration in one unit: `< 1 min`, `3 min`, `2 h`, `5 days`. */
export function formatAge(ms: number): string {
  if (ms < MINUTE) return '< 1 min';
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} days`;
}

/** The urgency of a decision, by the remaining time. */
export type Urgency = 'calm' | 'soon' | 'now' | 'expired';

export function urgencyOf(msLeft: number): Urgency {
  if (msLeft <= 0) return 'expired';
  if (msLeft < 5 * MINUTE) return 'now';
  return msLeft < HOUR ? 'soon' : 'calm';
}

function twoUnits(ms: number, big: number, bigName: string, small: number, name: string): string {
  const rest = Math.floor((ms % big) / small);
  const whole = `${Math.floor(ms / big)} ${bigName}`;
  return rest === 0 ? whole : `${whole} ${rest} ${name}`;
}
