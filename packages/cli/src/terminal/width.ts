const ASCII = /^[\x20-\x7e]*$/;
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F/u;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Returns the width of a line without hidden characters. */
export function widthOf(line: string): number {
  if (ASCII.test(line)) return line.length;
  let width = 0;
  for (const { segment } of graphemes.segment(line)) width += widthOfOne(segment);
  return width;
}

/** Wraps a line at `columns`, between words if possible. */
export function wrap(line: string, columns: number): readonly string[] {
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const character of charactersOf(line)) {
    const wide = widthOfOne(character);
    if (width + wide > columns && row !== '') {
      const kept = character === ' ' ? row.length : breakIn(row);
      rows.push(row.slice(0, kept));
      row = row.slice(kept).replace(/^ /, '');
      width = widthOf(row);
      if (character === ' ') continue;
    }
    row += character;
    width += wide;
  }
  return row === '' && rows.length > 0 ? rows : [...rows, row];
}

/** Returns the index at which a full row is broken. */
function breakIn(row: string): number {
  const space = row.lastIndexOf(' ');
  // An early break wastes the row, and a break in the indentation loses it.
  const isNear = space > row.length / 2 && row.slice(0, space).trim() !== '';
  return isNear ? space : row.length;
}

function* charactersOf(line: string): Generator<string> {
  if (ASCII.test(line)) yield* line;
  else for (const { segment } of graphemes.segment(line)) yield segment;
}

/** Cuts a line to `columns`, with an ellipsis at the end. */
export function cut(line: string, columns: number): string {
  return widthOf(line) <= columns ? line : `${startOf(line, Math.max(0, columns - 1))}…`;
}

/** Pads a line with spaces to `columns`. */
export function pad(line: string, columns: number): string {
  return line + ' '.repeat(Math.max(0, columns - widthOf(line)));
}

/** Returns the start of a line that fits, at least one character. */
function startOf(line: string, columns: number): string {
  const head = line.slice(0, columns);
  if (ASCII.test(head)) return head;
  let piece = '';
  let width = 0;
  for (const { segment } of graphemes.segment(line)) {
    width += widthOfOne(segment);
    if (width > columns && piece !== '') break;
    piece += segment;
  }
  return piece;
}

function widthOfOne(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}
