import type { Line, Style } from '../terminal/line.ts';
import { visible } from '../terminal/visible.ts';
import { cut, pad, widthOf } from '../terminal/width.ts';

const GAP = '  ';

/** A column of a list. */
export interface Column {
  readonly name: string;
  /** How wide it may be; the last column has the room that is left. */
  readonly most?: number | undefined;
}

/** A row of a list, with a text for each column. */
export interface ListRow {
  readonly cells: readonly string[];
  /** Stands at the end of the last column, whatever else has to be cut for it. */
  readonly note?: string | undefined;
  readonly style?: Style | undefined;
}

/** Rows below the names of their columns, each on one line of at most `room` columns. */
export function showColumns(
  columns: readonly Column[],
  rows: readonly ListRow[],
  room: number,
): readonly Line[] {
  const shown = rows.map((row) => ({ ...row, cells: row.cells.map((cell) => visible(cell)) }));
  const widths = columns.map(({ name, most = Number.POSITIVE_INFINITY }, column) => {
    const cells = shown.map(({ cells: texts }) => widthOf(texts[column] ?? ''));
    return Math.min(most, Math.max(name.length, ...cells));
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
