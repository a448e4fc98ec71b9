import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visible } from './visible.ts';

describe('untrusted text', () => {
  it.each([
    ['an escape sequence', '\u001B[31mred', '⟨U+001B⟩[31mred'],
    ['text turned round', 'invoice\u202Efdp.exe', 'invoice⟨U+202E⟩fdp.exe'],
    ['nothing that has no width', 'a\u200Bb\uFEFF', 'a⟨U+200B⟩b⟨U+FEFF⟩'],
    ['spaces that are none', 'a\u00A0b', 'a⟨U+00A0⟩b'],
    ['messages in tags', 'hi\u{E0041}', 'hi⟨U+E0041⟩'],
    ['digits that are struck out', '5\u03360\u0336', '5⟨U+0336⟩0⟨U+0336⟩'],
    ['a letter behind a line', 'a\u20D2', 'a⟨U+20D2⟩'],
    ['a forbidden letter', 'a\u20E0', 'a⟨U+20E0⟩'],
    ['half a character', 'a\uD800b', 'a⟨U+D800⟩b'],
    ['a line break that pretends to be none', 'a\u2028b\r\nc', 'a⟨U+2028⟩b⟨U+000D⟩\nc'],
  ])('shows %s', (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('is unchanged if all of it is visible', () => {
    for (const text of ['Grüße, 世界 ✓ “quoted”', 'שלום', '⚠️ 👨‍👩‍👧 👍🏽', 'a\nb']) {
      expect(visible(text)).toBe(text);
    }
  });

  it('contains no reordering or hidden characters, and is stable when converted again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = visible(text);

        expect(shown).not.toMatch(/[^\n\P{Cc}]|[\u200E\u200F\u202A-\u202E\u2066-\u2069]/u);
        expect(visible(shown)).toBe(shown);
      }),
      { numRuns: 300 },
    );
  });
});
