import { HIDDEN, isEmojiGlue, numberOf } from './hidden-characters.ts';

/** A text from outside as it can be shown: whatever cannot be seen has its number instead. Line breaks stay. */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, (character, index: number) => {
    if (character === '\n' || isEmojiGlue(text, index)) return character;
    return character === '\t' ? '    ' : `⟨${numberOf(character)}⟩`;
  });
}
