import type { HoldView } from '@holdpoint/desk/client';
import type { JsonValue } from 'holdpoint';
import { toJsonText } from '../terminal/json-text.ts';
import type { Line, Style } from '../terminal/lines.ts';
import { visible } from '../terminal/visible.ts';
import { cut, pad, widthOf } from '../terminal/width.ts';

/** A person, as the desk returns one. */
export type Person = NonNullable<HoldView['requester']>;

/** Returns a person's name with their id. People choose their names, so a name alone proves nothing. */
export function personText({ id, name }: Person): string {
  return name === undefined || name === id ? id : `${name} (${id})`;
}

/** Returns the milliseconds of an ISO 8601 time. */
export function timeOf(time: string): number {
  return Date.parse(time);
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Formats a duration in one unit: `3 min`. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms >= one) ?? UNITS[3];
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`;
}

/** Prints JSON. Control characters are escaped, so that a terminal cannot interpret them. */
export function printJson(value: object): void {
  console.log(toJsonText(asJson(value), 2));
}

/** Prints JSON on one line. */
export function printJsonLine(value: object): void {
  console.log(toJsonText(asJson(value)));
}

/** Removes members that JSON does not keep. */
function asJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

const GAP = '  ';

/** A column of a list. */
export interface Column {
  readonly name: string;
  /** The maximum width. The last column fills the remaining space. */
  readonly maxWidth?: number | undefined;
}

/** A row of a list, with a text for each column. */
export interface ListRow {
  readonly cells: readonly string[];
  /** A text after the last column, which is never cut. */
  readonly note?: string | undefined;
  readonly style?: Style | undefined;
}

/** Formats rows below the names of their columns, each on one line of at most `room` columns. */
export function showColumns(
  columns: readonly Column[],
  rows: readonly ListRow[],
  room: number,
): readonly Line[] {
  const shown = rows.map((row) => ({ ...row, cells: row.cells.map((cell) => visible(cell)) }));
  const widths = columns.map(({ name, maxWidth = Number.POSITIVE_INFINITY }, column) => {
    const cells = shown.map(({ cells: texts }) => widthOf(texts[column] ?? ''));
    return Math.min(maxWidth, Math.max(name.length, ...cells));
  });
  const lineOf = ({ cells, note, style }: ListRow): Line => {
    const front = cells
      .slice(0, -1)
      .map((cell, column) => `${pad(cut(cell, widths[column] ?? 0), widths[column] ?? 0)}${GAP}`)
      .join('');
    const back = note === undefined ? '' : `${GAP}${visible(note)}`;
    const left = Math.max(8, room - widthOf(front) - widthOf(back));
    return { text: `${front}${cut(cells.at(-1) ?? '', left)}${back}`.trimEnd(), style };
  };
  const head = lineOf({ cells: columns.map(({ name }) => name), style: 'dim' });
  return [head, ...shown.map(lineOf)];
}
