import type { JsonObject, JsonValue } from 'holdpoint';
import type { Line } from './line.ts';
import { visible } from './visible.ts';
import { pad, widthOf } from './width.ts';

const WIDEST_TABLE = 72;
const GAP = '  ';

/** Records with the same members as a table; `undefined` where they are something else, or too wide for one. */
export function showTable(rows: readonly JsonValue[]): readonly Line[] | undefined {
  const [first] = rows;
  if (!isRecord(first)) return undefined;
  const names = Object.keys(first);
  const isTable = rows.every((row) => isRecord(row) && Object.keys(row).join() === names.join());
  if (!isTable || names.length === 0) return undefined;

  const cells = rows.map((row) => names.map((name) => cellOf((row as JsonObject)[name]))); // checked above
  const header = names.map(visible);
  const widths = header.map((name, column) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? '')), widthOf(name)),
  );
  const width = widths.reduce((sum, one) => sum + one + GAP.length, 0);
  if (width > WIDEST_TABLE) return undefined;

  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd();
  return [{ text: line(header), style: 'cyan' }, ...cells.map((row) => ({ text: line(row) }))];
}

/** Whether this is an object whose members are plain values on one line. */
function isRecord(row: JsonValue | undefined): row is JsonObject {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return false;
  return Object.values(row).every(
    (value) => typeof value !== 'object' && !String(value).includes('\n'),
  );
}

function cellOf(value: JsonValue | undefined): string {
  return visible(typeof value === 'string' ? value : JSON.stringify(value ?? null));
}
