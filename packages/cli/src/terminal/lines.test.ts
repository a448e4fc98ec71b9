import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold, type Line, type Row, toRows } from './lines.ts';
import { widthOf } from './width.ts';

const text = (row: Row) => row.map((piece) => piece.text).join('');
const shown = (lines: readonly Line[], columns: number) => toRows(lines, columns).map(text);

describe('the rows of a line', () => {
  it('break between words', () => {
    expect(shown([{ text: 'one two three four' }], 9)).toEqual(['one two', 'three', 'four']);
  });

  it('break words that are too long', () => {
    expect(shown([{ text: 'abcdefghij' }], 4)).toEqual(['abcd', 'efgh', 'ij']);
  });

  it('are indented by the width of the label', () => {
    const line = { label: { text: 'path  ' }, text: 'one two three' };

    expect(shown([line], 14)).toEqual(['path  one two', '      three']);
  });

  it('put a long label in its own row', () => {
    const line = { label: { text: 'a-very-long-name  ' }, text: 'value' };

    expect(shown([line], 20)).toEqual(['a-very-long-name  ', '          value']);
  });

  it('count wide characters as two columns', () => {
    expect(shown([{ text: '世界世界' }], 5)).toEqual(['世界', '世界']);
  });

  it('are computed quickly for a very long line', () => {
    const start = performance.now();

    expect(shown([{ text: 'ab cd '.repeat(100_000) }], 77)).toHaveLength(7_693);
    expect(shown([{ text: '世界'.repeat(50_000) }], 77)).toHaveLength(2_632);
    expect(performance.now() - start).toBeLessThan(3_000);
  });

  it('stay within the columns', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 20, max: 60 }),
        (line, columns) => {
          const rows = shown([{ text: line, label: { text: 'a  ' } }], columns);

          for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});

describe('fold', () => {
  const rows = toRows(
    [1, 2, 3, 4, 5].map((number) => ({ text: `row ${number}` })),
    20,
  );

  it('states how many rows it omitted and how to show them', () => {
    expect(fold(rows, 3, 'look there').map(text)).toEqual([
      'row 1',
      'row 2',
      '… 3 more lines: look there',
    ]);
  });

  it('returns rows that fit', () => {
    expect(fold(rows, 5, '')).toBe(rows);
  });
});
