/**
 * Characters that control a terminal, reorder or hide text, or resemble a plain space. They are
 * control and format characters, default ignorables, unusual spaces, stacked accents, and marks
 * that strike out or enclose a letter. The keycap of emoji is not one of them.
 */
const HIDDEN: RegExp =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|(?<=\p{M}{2})\p{M}|[\u0334-\u0338\u20D2\u20D3\u20D8-\u20DA\u20E5\u20E6\u20EA\u20EB\u{10A39}\u{16AF0}-\u{16AF4}\u{1BC9E}\u{1D167}-\u{1D169}]|(?!\u20E3)\p{Me}/gu;

/** Joiners and variation selectors inside emoji, which are harmless and common in the text of models. */
const EMOJI_GLUE: RegExp =
  /(?<=\p{Extended_Pictographic})\uFE0F|(?<=\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})\u200D(?=\p{Extended_Pictographic})/uy;

const NAMES: ReadonlyMap<string, string> = new Map([
  ['\0', 'NUL'],
  ['\u0007', 'BEL'],
  ['\b', 'BS'],
  ['\n', 'LF'],
  ['\r', 'CR'],
  ['\u001B', 'ESC'],
  ['\u007F', 'DEL'],
]);

const TAB = '    ';

/** Matches the markers of hidden characters in {@link visible} text. */
export const MARKER: RegExp = /⟨(?:U\+[0-9A-F]{4,6}|[A-Z]{2,3})⟩/gu;

/**
 * Replaces hidden characters in one line of untrusted text by markers, so that the text cannot control the
 * terminal or disguise itself.
 */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, (character, index: number) => {
    if (character === '\t') return TAB;
    return isEmojiGlue(text, index) ? character : markerFor(character);
  });
}

/** True if a text contains hidden characters other than line breaks and tabs. */
export function hasHidden(text: string): boolean {
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    const isLayout = /^[\t\n]/.test(character) || text.startsWith('\r\n', index);
    if (!isLayout && !isEmojiGlue(text, index)) return true;
  }
  return false;
}

function isEmojiGlue(text: string, index: number): boolean {
  EMOJI_GLUE.lastIndex = index;
  return EMOJI_GLUE.test(text);
}

function markerFor(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `⟨${NAMES.get(character) ?? `U+${number.toString(16).toUpperCase().padStart(4, '0')}`}⟩`;
}
