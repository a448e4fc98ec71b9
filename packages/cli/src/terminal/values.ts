import { structuredPatch } from 'diff';
import type { JsonObject, JsonValue } from 'holdpoint';
import { type Line, linesOf } from './lines.ts';
import { visible } from './visible.ts';
import { pad, widthOf } from './width.ts';

/** Longer names push their values to the right. */
const MAX_NAME_WIDTH = 24;
const MAX_TABLE_WIDTH = 72;
const GAP = '  ';

/** Shows JSON: members by name, lists of records as a table, other values as text or JSON. */
export function showValue(value: JsonValue): readonly Line[] {
  if (typeof value === 'string') return linesOf(value);
  if (isObject(value)) return showFields(value);
  const table = Array.isArray(value) ? showTable(value) : undefined;
  return table ?? linesOf(JSON.stringify(value, undefined, 2));
}

/** Shows the members of an object, each behind its name. */
export function showFields(fields: JsonObject): readonly Line[] {
  const entries = Object.entries(fields);
  if (entries.length === 0) return [{ text: '(no arguments)', style: 'dim' }];
  const widest = entries.reduce((width, [name]) => Math.max(width, widthOf(visible(name))), 0);
  const width = Math.min(widest, MAX_NAME_WIDTH) + 2;
  return entries.flatMap(([name, value]) => {
    const [first, ...rest] = textOf(value).split('\n');
    const label = { text: pad(`${visible(name)}  `, width), style: 'cyan' } as const;
    const indent = { text: ' '.repeat(width) };
    return [{ text: first ?? '', label }, ...rest.map((text) => ({ text, label: indent }))];
  });
}

/** Returns a value as text. A string is quoted if it could be mistaken for another value. */
function textOf(value: JsonValue): string {
  if (typeof value !== 'string') return JSON.stringify(value, undefined, 2);
  return resemblesJson(value) ? JSON.stringify(value) : value;
}

function resemblesJson(text: string): boolean {
  if (text.includes('\n')) return false;
  if (text.trim() !== text || text === '') return true;
  if (!/^(true|false|null|[-\d[{"])/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** True for a JSON object. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Shows records with the same members as a table; `undefined` for other values and wide tables. */
function showTable(rows: readonly JsonValue[]): readonly Line[] | undefined {
  const [first] = rows;
  if (!isRecord(first)) return undefined;
  const names = Object.keys(first);
  const records = rows.filter(isRecord).filter((row) => Object.keys(row).join() === names.join());
  if (records.length !== rows.length || names.length === 0) return undefined;
  const cells = records.map((row) => names.map((name) => cellOf(row[name])));
  const header = names.map(visible);
  const widths = header.map((name, column) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? '')), widthOf(name)),
  );
  const width = widths.reduce((sum, one) => sum + one + GAP.length, 0);
  if (width > MAX_TABLE_WIDTH) return undefined;
  const line = (row: readonly string[]) => {
    const padded = row.map((cell, column) => pad(cell, widths[column] ?? 0));
    return padded.join(GAP).trimEnd();
  };
  return [{ text: line(header), style: 'cyan' }, ...cells.map((row) => ({ text: line(row) }))];
}

/** True for an object whose members are plain values on one line. */
function isRecord(row: JsonValue | undefined): row is JsonObject {
  if (!isObject(row)) return false;
  return Object.values(row).every(
    (value) => typeof value !== 'object' && !String(value).includes('\n'),
  );
}

function cellOf(value: JsonValue | undefined): string {
  return visible(typeof value === 'string' ? value : JSON.stringify(value ?? null));
}

/**
 * Shows a preview: text, a diff, a table or data. An object with the texts `before` and `after` is shown as
 * a diff between them.
 */
export function showPreview(preview: JsonValue): readonly Line[] {
  if (typeof preview === 'string') {
    return isDiff(preview) ? preview.split('\n').map(showDiffLine) : linesOf(preview);
  }
  if (!isObject(preview)) return showValue(preview);
  const { before, after, ...rest } = preview;
  const change =
    typeof before === 'string' && typeof after === 'string' ? showDiff(before, after) : undefined;
  if (change === undefined) return showFields(preview);
  return Object.keys(rest).length === 0 ? change : [...showFields(rest), ...change];
}

/** Unchanged lines around a change. */
const CONTEXT_LINES = 2;
const DIFF_TIMEOUT_MS = 1000;

/** Shows the changed lines between two texts; `undefined` if the search takes too long. */
export function showDiff(before: string, after: string): readonly Line[] | undefined {
  const patch = structuredPatch('', '', before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    timeout: DIFF_TIMEOUT_MS,
  });
  if (patch === undefined) return undefined;
  if (patch.hunks.length === 0) return [{ text: 'Nothing changes.', style: 'dim' }];
  return patch.hunks.flatMap(({ newStart, lines }, index) => [
    ...(index === 0 && newStart === 1
      ? []
      : [{ text: `@ line ${newStart}`, style: 'cyan' } as const]),
    ...lines.map(showDiffLine),
  ]);
}

function isDiff(text: string): boolean {
  return /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/m.test(text) && /^[+-]/m.test(text);
}

function showDiffLine(line: string): Line {
  const text = line.replace(/^([+\- ])/, '$1 ');
  if (/^(\+\+\+|---) /.test(line)) return { text: line, style: 'bold' };
  if (line.startsWith('@@')) return { text: line, style: 'cyan' };
  if (line.startsWith('+')) return { text, style: 'green' };
  return { text, style: line.startsWith('-') ? 'red' : 'dim' };
}
