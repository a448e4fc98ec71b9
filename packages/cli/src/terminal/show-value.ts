import type { JsonObject, JsonValue } from 'holdpoint';
import { type Line, linesOf } from './line.ts';
import { showTable } from './show-table.ts';
import { visible } from './visible.ts';
import { pad, widthOf } from './width.ts';

/** Longer names push their values to the right. */
const WIDEST_NAME = 24;

/** Data as lines: members by name, lists of records as a table, everything else as JSON. */
export function showValue(value: JsonValue): readonly Line[] {
  if (typeof value === 'string') return linesOf(value);
  if (isObject(value)) return showFields(value);
  const table = Array.isArray(value) ? showTable(value) : undefined;
  return table ?? linesOf(JSON.stringify(value, undefined, 2));
}

/** The members of an object, a name in front of each. */
export function showFields(fields: JsonObject): readonly Line[] {
  const entries = Object.entries(fields);
  if (entries.length === 0) return [{ text: '(no arguments)', style: 'dim' }];
  const widest = entries.reduce((width, [name]) => Math.max(width, widthOf(visible(name))), 0);
  const width = Math.min(widest, WIDEST_NAME) + 2;
  return entries.flatMap(([name, value]) => {
    const [first, ...rest] = textOf(value).split('\n');
    const label = { text: pad(`${visible(name)}  `, width), style: 'cyan' } as const;
    const below = { text: ' '.repeat(width) };
    return [{ text: first ?? '', label }, ...rest.map((text) => ({ text, label: below }))];
  });
}

/** A value as text. A text is itself, unless it would look like something else. */
function textOf(value: JsonValue): string {
  if (typeof value !== 'string') return JSON.stringify(value, undefined, 2);
  return looksLikeData(value) ? JSON.stringify(value) : value;
}

function looksLikeData(text: string): boolean {
  if (text.includes('\n')) return false;
  if (text.trim() !== text || text === '') return true;
  return /^(true|false|null|[-\d[{"])/.test(text) && isJson(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a value has members by name. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
