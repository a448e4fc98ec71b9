import { HIDDEN, isEmojiGlue, numberOf } from './hidden-characters.ts';

/** Returns an untrusted text with codes in place of invisible characters. Line breaks stay. */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, (character, index: number) => {
    if (character === '\n' || isEmojiGlue(text, index)) return character;
    return character === '\t' ? '    ' : `⟨${numberOf(character)}⟩`;
  });
}
