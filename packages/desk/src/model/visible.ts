/**
 * Characters that cannot be seen, that reorder or hide what is around them, or that look like a plain space:
 * control and format characters, what Unicode lets a renderer ignore, odd spaces, and heaps of accents.
 */
const HIDDEN: RegExp =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|(?<=\p{M}{2})\p{M}/gu;

/** What makes one picture of several, or a picture of a letter: harmless, and everywhere in what models write. */
const EMOJI_GLUE: RegExp =
  /(?<=\p{Extended_Pictographic})\uFE0F|(?<=\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})\u200D(?=\p{Extended_Pictographic})/uy;

/** A text from outside as it can be shown: whatever cannot be seen has its number instead. Line breaks stay. */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, (character, index: number) => {
    if (character === '\n' || isEmojiGlue(text, index)) return character;
    return character === '\t' ? '    ' : markerFor(character);
  });
}

function isEmojiGlue(text: string, index: number): boolean {
  EMOJI_GLUE.lastIndex = index;
  return EMOJI_GLUE.test(text);
}

function markerFor(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `⟨U+${number.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
