import type { styleText } from 'node:util';
import { visible } from './visible.ts';
import { widthOf, wrap } from './width.ts';

/** A text style. */
export type Style = Parameters<typeof styleText>[0];

/** Text in one style. */
export interface Piece {
  readonly text: string;
  readonly style?: Style | undefined;
}

/** A line to show. Its text may come from anywhere: {@link toRows} makes hidden characters visible. */
export interface Line extends Piece {
  /** Text in front of the line; continuation rows are indented by its width. */
  readonly label?: Piece | readonly Piece[] | undefined;
}

/** One row of the terminal, in pieces of one style each, without hidden characters. */
export type Row = readonly Piece[];

/** Splits a text into lines. */
export function linesOf(text: string, style?: Style): readonly Line[] {
  return text.split('\n').map((line) => ({ text: line, style }));
}

/** Wraps lines into rows of at most `columns`. */
export function toRows(lines: readonly Line[], columns: number): readonly Row[] {
  return lines.flatMap((line) => rowsOf(line, columns));
}

function rowsOf({ text, style, label = [] }: Line, columns: number): readonly Row[] {
  const front = [label].flat().map((piece) => ({ ...piece, text: visible(piece.text) }));
  const width = front.reduce((sum, piece) => sum + widthOf(piece.text), 0);
  const indent = Math.min(width, Math.floor(columns / 2));
  const room = columns - indent;
  const [first = '', ...rest] = wrap(visible(text), room);
  return [
    // A label that is too long for its row stands above the text.
    ...(width > indent && width + widthOf(first) > columns
      ? [front, [{ text: ' '.repeat(indent) }, { text: first, style }]]
      : [[...front, { text: first, style }]]),
    ...rest.map((row) => [{ text: ' '.repeat(indent) }, { text: row, style }]),
  ];
}

/** Limits rows to `room`. The last row states the number of omitted rows. */
export function fold(rows: readonly Row[], room: number, howToSeeAll: string): readonly Row[] {
  if (rows.length <= room) return rows;
  const shown = Math.max(1, room - 1);
  const left = rows.length - shown;
  const note = `… ${left} more ${left === 1 ? 'line' : 'lines'}: ${howToSeeAll}`;
  return [...rows.slice(0, shown), [{ text: note, style: 'yellow' }]];
}
