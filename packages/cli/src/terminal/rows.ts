import type { Line, Piece } from './line.ts';
import { visible } from './visible.ts';
import { widthOf, wrap } from './width.ts';

/** One row of the terminal, in pieces of one style each; nothing in it is hidden. */
export type Row = readonly Piece[];

/** Lines as the rows that they take, each at most `columns` wide. */
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
    // Below a label that is too long to stand beside its text.
    ...(width > indent && width + widthOf(first) > columns
      ? [front, [{ text: ' '.repeat(indent) }, { text: first, style }]]
      : [[...front, { text: first, style }]]),
    ...rest.map((row) => [{ text: ' '.repeat(indent) }, { text: row, style }]),
  ];
}

/** Rows that fit into the room there is, with a row that says how many were left out. */
export function fold(rows: readonly Row[], room: number, howToSeeAll: string): readonly Row[] {
  if (rows.length <= room) return rows;
  const shown = Math.max(1, room - 1);
  const left = rows.length - shown;
  const note = `… ${left} more ${left === 1 ? 'line' : 'lines'}: ${howToSeeAll}`;
  return [...rows.slice(0, shown), [{ text: note, style: 'yellow' }]];
}
