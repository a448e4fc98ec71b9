import type { JsonValue } from 'holdpoint';

/** Returns a value as indented JSON. */
export function jsonText(value: JsonValue): string {
  return JSON.stringify(value, undefined, 2);
}

/**
 * Returns a value on one line, for lists. A text is unchanged, and members are written as
 * `name: value`. Texts of members are quoted, so that `"5"` and `5` look different.
 */
export function lineOf(value: JsonValue, max = 400): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  let line = '';
  for (const [name, member] of Object.entries(value)) {
    if (line.length > max) return `${line} …`;
    const label = Array.isArray(value) ? '' : `${name}: `;
    line += `${line === '' ? '' : ' · '}${label}${startOfJson(member, max)}`;
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

function startOfJson(value: JsonValue, max: number): string {
  const start = typeof value === 'string' ? value.slice(0, max + 1) : value;
  const text = JSON.stringify(start);
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
