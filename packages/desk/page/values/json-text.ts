import type { JsonValue } from 'holdpoint';

/** A value as JSON with one member on a line. */
export function jsonText(value: JsonValue): string {
  return JSON.stringify(value, undefined, 2);
}

/** A value on one line, for lists: a text as it is, members as `name: value`. */
export function lineOf(value: JsonValue, most = 400): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  let line = '';
  for (const [name, one] of Object.entries(value)) {
    // What nobody will see does not have to be made.
    if (line.length > most) return `${line} …`;
    const shown = typeof one === 'object' ? beginningOfJson(one, most) : String(one);
    line += `${line === '' ? '' : ' · '}${Array.isArray(value) ? '' : `${name}: `}${shown}`;
  }
  return line;
}

function beginningOfJson(value: JsonValue, most: number): string {
  const text = JSON.stringify(value);
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
