/** Words are compared by this many characters. */
const MAX_LENGTH = 100;

/** Returns the words of a text, in lower case, each once. A word is a sequence of letters and digits. */
export function searchWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => word.slice(0, MAX_LENGTH)))];
}
