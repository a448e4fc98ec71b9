import type { JsonValue } from 'holdpoint';

/** A value as JSON with one member on a line. */
export function jsonText(value: JsonValue): string {
  return JSON.stringify(value, undefined, 2);
}

/**
 * Returns a value on one line, for lists: a text as it is, members as `name: value`. Texts of members
 * are quoted, so that `"5"` and `5` look different.
 */
export function lineOf(value: JsonValue, most = 400): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  let line = '';
  for (const [name, one] of Object.entries(value)) {
    // What nobody will see does not have to be made.
    if (line.length > most) return `${line} …`;
    const shown = beginningOfJson(one, most);
    line += `${line === '' ? '' : ' · '}${Array.isArray(value) ? '' : `${name}: `}${shown}`;
  }
  return line;
}

/** Returns whether a text looks like a value of another type: a number, JSON, or a word for one. */
export function looksLikeData(text: string): boolean {
  const trimmed = text.trim();
  if (/^(yes|no|nothing|true|false|null)$/i.test(trimmed)) return true;
  if (!/^[-+.\d[{"]/.test(trimmed)) return false;
  try {
    JSON.parse(trimmed);
    return true;
  } catch {
    return trimmed !== '' && Number.isFinite(Number(trimmed));
  }
}

function beginningOfJson(value: JsonValue, most: number): string {
  const beginning = typeof value === 'string' ? value.slice(0, most + 1) : value;
  const text = JSON.stringify(beginning);
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
