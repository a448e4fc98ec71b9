import { describe, expect, it } from 'vitest';
import { toRows } from './lines.ts';
import { showPreview } from './values.ts';

function shown(preview: Parameters<typeof showPreview>[0]): readonly string[] {
  return toRows(showPreview(preview), 77).map((row) =>
    row
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
}

describe('a preview', () => {
  it('shows a text unchanged', () => {
    expect(shown('Pays 40 euros.\nTo ACME.')).toEqual(['Pays 40 euros.', 'To ACME.']);
  });

  it('shows a diff in colours', () => {
    const lines = showPreview('--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-old\n+new');

    expect(lines.map(({ text, style }) => [text, style])).toEqual([
      ['--- a', 'bold'],
      ['+++ b', 'bold'],
      ['@@ -1,2 +1,2 @@', 'cyan'],
      ['  same', 'dim'],
      ['- old', 'red'],
      ['+ new', 'green'],
    ]);
  });

  it('shows the changed lines between `before` and `after`', () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join('');
    const after = before.replace('line 12\n', 'line twelve\n');

    expect(shown({ path: 'a.txt', before, after })).toEqual([
      'path  a.txt',
      '@ line 10',
      '  line 10',
      '  line 11',
      '- line 12',
      '+ line twelve',
      '  line 13',
      '  line 14',
    ]);
  });

  it('states that nothing changes', () => {
    expect(shown({ before: 'a\n', after: 'a\n' })).toEqual(['Nothing changes.']);
  });

  it('shows `before` and `after` as fields unless both are texts', () => {
    expect(shown({ to: 'ACME', before: 100, after: 60 })).toEqual([
      'to      ACME',
      'before  100',
      'after   60',
    ]);
  });

  it('shows a list of records as a table', () => {
    const preview = [
      { to: 'ada@example.com', euros: 20 },
      { to: 'bob@example.com', euros: 5 },
    ];

    expect(shown(preview)).toEqual([
      'to               euros',
      'ada@example.com  20',
      'bob@example.com  5',
    ]);
  });

  it.each([
    ['members differ', [{ a: 1 }, { b: 2 }]],
    ['it would be too wide', [{ a: 'x'.repeat(80) }]],
    ['there is something inside of a record', [{ a: { b: 1 } }]],
  ])('is JSON where %s', (_, preview) => {
    expect(showPreview(preview).map(({ text }) => text)).toEqual(
      JSON.stringify(preview, undefined, 2).split('\n'),
    );
  });

  it('quotes a text that resembles data', () => {
    expect(shown({ number: '42', flag: 'true', empty: '', blank: ' a', plain: 'a b' })).toEqual([
      'number  "42"',
      'flag    "true"',
      'empty   ""',
      'blank   " a"',
      'plain   a b',
    ]);
  });

  it('indents the lines of a text', () => {
    expect(shown({ content: 'one\npath  /etc', path: 'a' })).toEqual([
      'content  one',
      '         path  /etc',
      'path     a',
    ]);
  });
});
