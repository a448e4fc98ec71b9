import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCount, humanise, startOf } from '../../page/text/format.ts';
import { hasRightToLeft, piecesOf, visibleText } from '../../page/text/hidden-characters.ts';

describe('untrusted text', () => {
  it.each([
    ['invoice\u202Etxt.exe', 'invoice⟨U+202E⟩txt.exe'],
    ['a\u200Bb\u2060c\uFEFF', 'a⟨U+200B⟩b⟨U+2060⟩c⟨U+FEFF⟩'],
    ['a\u0000b\u001B[31mc\u007F', 'a⟨U+0000⟩b⟨U+001B⟩[31mc⟨U+007F⟩'],
    ['10\u00A0000', '10⟨U+00A0⟩000'],
    ['tag\u{E0041}', 'tag⟨U+E0041⟩'],
    ['lone\uD800', 'lone⟨U+D800⟩'],
    ['a\rb', 'a⟨U+000D⟩b'],
    ['5\u03360\u03360', '5⟨U+0336⟩0⟨U+0336⟩0'],
    ['a\u0337b\u20D2c\u20DD', 'a⟨U+0337⟩b⟨U+20D2⟩c⟨U+20DD⟩'],
    ['blank\u2800', 'blank⟨U+2800⟩'],
    [`z${'\u0301'.repeat(5)}`, 'z\u0301\u0301⟨U+0301 ×3⟩'],
  ])('shows the hidden characters of %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it('keeps line breaks, tabs and emoji of several characters', () => {
    const text = 'one\ntwo\r\n\tthree 👩‍💻 ❤️ naïve 日本語';

    expect(piecesOf(text)).toEqual([{ kind: 'plain', text }]);
  });

  it('shows one mark for a repeated character', () => {
    expect(piecesOf(`a${'\u200B'.repeat(40_000)}b`)).toEqual([
      { kind: 'plain', text: 'a' },
      { kind: 'hidden', marks: '⟨U+200B ×40000⟩', count: 40_000 },
      { kind: 'plain', text: 'b' },
    ]);
  });

  it('detects letters that are written from right to left', () => {
    expect(hasRightToLeft('pay 100 שלום')).toBe(true);
    expect(hasRightToLeft('pay 100')).toBe(false);
  });

  it('loses no character and contains no hidden one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const pieces = piecesOf(text);
        const plain = pieces.flatMap((piece) => (piece.kind === 'plain' ? [piece.text] : []));
        const hidden = pieces.reduce(
          (sum, one) => sum + (one.kind === 'hidden' ? one.count : 0),
          0,
        );

        expect([...plain.join('')].length + hidden).toBe([...text].length);
        expect(plain.join('')).not.toMatch(
          /[\u202A-\u202E\u2066-\u2069\u200B]|(?![\n\t\r])\p{Cc}/u,
        );
      }),
    );
  });
});

describe('start of a text', () => {
  it('states the full length', () => {
    expect(startOf('abcdef', 4)).toEqual({ text: 'abcd', length: 6 });
    expect(startOf('abc', 4)).toEqual({ text: 'abc', length: 3 });
  });

  it('never ends inside a character', () => {
    expect(startOf('ab😀cd', 3)).toEqual({ text: 'ab', length: 6 });
    expect(startOf('ab😀cd', 4)).toEqual({ text: 'ab😀', length: 6 });
  });

  it('has a readable count', () => {
    expect(formatCount(1, 'character')).toBe('1 character');
    expect(formatCount(10_485_760, 'character')).toBe('10,485,760 characters');
  });
});

describe('humanise', () => {
  it.each([
    ['refund', 'Refund'],
    ['send_invoice', 'Send invoice'],
    ['sendInvoice', 'Send invoice'],
    ['fetchURL', 'Fetch URL'],
    ['hold-opened', 'Hold opened'],
    ['', ''],
  ])('turns %j into %j', (name, words) => {
    expect(humanise(name)).toBe(words);
  });
});
