/**
 * Characters that are invisible, that reorder or cover the text around them, or that resemble a
 * plain space. They are control and format characters, characters that a renderer may ignore,
 * unusual spaces, more than two accents on a letter, and marks that strike out or enclose a letter.
 * The keycap of emoji is not one of them.
 */
export const HIDDEN: RegExp =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|(?<=\p{M}{2})\p{M}|[\u0334-\u0338\u20D2\u20D3\u20D8-\u20DA\u20E5\u20E6\u20EA\u20EB\u{10A39}\u{16AF0}-\u{16AF4}\u{1BC9E}\u{1D167}-\u{1D169}]|(?!\u20E3)\p{Me}/gu;

/** Characters that join several emoji into one: harmless, and frequent in texts of models. */
const EMOJI_GLUE: RegExp =
  /(?<=\p{Extended_Pictographic})\uFE0F|(?<=\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})\u200D(?=\p{Extended_Pictographic})/uy;

/** Letters that are written from right to left: text beside them may be shown in another order. */
const RIGHT_TO_LEFT: RegExp =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** Returns true if the character at the index joins emoji. */
export function isEmojiGlue(text: string, index: number): boolean {
  EMOJI_GLUE.lastIndex = index;
  return EMOJI_GLUE.test(text);
}

/** Returns true if the text has letters that are written from right to left. */
export function hasRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

/** Returns the number of a character, such as `U+200B`. */
export function numberOf(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `U+${number.toString(16).toUpperCase().padStart(4, '0')}`;
}
