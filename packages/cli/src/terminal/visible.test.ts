import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasHidden, visible } from './visible.ts';

describe('untrusted text', () => {
  it.each([
    ['an escape sequence', '\u001B[31mred\u001B[0m', '⟨ESC⟩[31mred⟨ESC⟩[0m'],
    ['the one-character form of it', '\u009B2J', '⟨U+009B⟩2J'],
    ['a bell, a backspace, a carriage return', '\u0007a\b\r', '⟨BEL⟩a⟨BS⟩⟨CR⟩'],
    ['a line break that pretends to be none', 'a\u2028b\u0085c', 'a⟨U+2028⟩b⟨U+0085⟩c'],
    ['digits that are struck out', '5\u03360\u0336', '5⟨U+0336⟩0⟨U+0336⟩'],
    ['letters behind lines', 'a\u0337b\u20D2c\u20E0', 'a⟨U+0337⟩b⟨U+20D2⟩c⟨U+20E0⟩'],
    ['text turned round', 'invoice\u202Efdp.exe', 'invoice⟨U+202E⟩fdp.exe'],
    ['an isolate', '\u2066a\u2069', '⟨U+2066⟩a⟨U+2069⟩'],
    ['nothing that has no width', 'a\u200Bb\u2060c\uFEFF', 'a⟨U+200B⟩b⟨U+2060⟩c⟨U+FEFF⟩'],
    ['letters made of nothing', 'a\u3164b\u2800c', 'a⟨U+3164⟩b⟨U+2800⟩c'],
    ['spaces that are none', 'a\u00A0b\u3000c', 'a⟨U+00A0⟩b⟨U+3000⟩c'],
    ['messages in tags', 'hi\u{E0041}\u{E0042}', 'hi⟨U+E0041⟩⟨U+E0042⟩'],
    ['half a character', 'a\uD800b', 'a⟨U+D800⟩b'],
    ['heaps of accents', 'e\u0301\u0302\u0303\u0304', 'e\u0301\u0302⟨U+0303⟩⟨U+0304⟩'],
  ])('shows %s', (_, text, shown) => {
    expect(visible(text)).toBe(shown);
    expect(hasHidden(text)).toBe(true);
  });

  it.each(['Grüße, 世界 ✓ “quoted”', 'שלום', 'e\u0301te\u0301', '⚠️ done 👨‍👩‍👧 👍🏽', 'a\tb\r\nc'])(
    'is unchanged if all of it is visible: %s',
    (text) => {
      expect(hasHidden(text)).toBe(false);
    },
  );

  it('shows a joiner or variation selector outside of emoji', () => {
    expect(visible('a\u200Db x\uFE0F')).toBe('a⟨U+200D⟩b x⟨U+FE0F⟩');
  });

  it('contains no control characters, and is stable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = visible(text);

        expect(shown).not.toMatch(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/u);
        expect(visible(shown)).toBe(shown);
      }),
      { numRuns: 300 },
    );
  });
});
