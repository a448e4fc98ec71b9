import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginningOf, counted } from '../../page/text/beginning.ts';
import { hasRightToLeft, piecesOf, visibleText } from '../../page/text/hidden-characters.ts';

describe('text from outside', () => {
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
  ])('shows what cannot be seen in %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it('keeps line breaks, tabs and pictures of several characters', () => {
    const text = 'one\ntwo\r\n\tthree 👩‍💻 ❤️ naïve 日本語';

    expect(piecesOf(text)).toEqual([{ kind: 'plain', text }]);
  });

  it('has one mark for a character that is repeated', () => {
    expect(piecesOf(`a${'\u200B'.repeat(40_000)}b`)).toEqual([
      { kind: 'plain', text: 'a' },
      { kind: 'hidden', marks: '⟨U+200B ×40000⟩', count: 40_000 },
      { kind: 'plain', text: 'b' },
    ]);
  });

  it('says when letters are written from the right', () => {
    expect(hasRightToLeft('pay 100 שלום')).toBe(true);
    expect(hasRightToLeft('pay 100')).toBe(false);
  });

  it('leaves nothing out and shows nothing that is hidden, whatever it is', () => {
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

describe('the beginning of a text', () => {
  it('says how much there is', () => {
    expect(beginningOf('abcdef', 4)).toEqual({ text: 'abcd', shown: 4, whole: 6 });
    expect(beginningOf('abc', 4)).toEqual({ text: 'abc', shown: 3, whole: 3 });
  });

  it('is never cut inside of a character', () => {
    expect(beginningOf('ab😀cd', 3)).toEqual({ text: 'ab', shown: 2, whole: 6 });
    expect(beginningOf('ab😀cd', 4)).toEqual({ text: 'ab😀', shown: 4, whole: 6 });
  });

  it('is counted in words that people read', () => {
    expect(counted(1, 'character')).toBe('1 character');
    expect(counted(10_485_760, 'character')).toBe('10,485,760 characters');
  });
});
