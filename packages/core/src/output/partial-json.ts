import type { JsonValue } from '../internal/json.ts';

/** The token that is expected next in the text. */
type Expecting = 'value' | 'key' | 'colon' | 'end';

/**
 * Incomplete JSON text whose value can be read at any time.
 *
 * Each character is read once. The value contains strings as far as they arrived, and numbers, words and keys once they
 * are complete.
 */
export class PartialJson {
  #text = '';
  /** The closing brackets that are still missing, innermost last. */
  readonly #closers: string[] = [];
  #expecting: Expecting = 'value';
  #inString: 'value' | 'key' | undefined;
  /** The number of characters that the escape at the end of the text still needs. */
  #escape = 0;
  #inWord = false;
  /** The length of the text that is complete except for closing brackets. */
  #complete = 0;

  /** Adds a piece of text. */
  push(piece: string): void {
    const start = this.#text.length;
    this.#text += piece;
    for (let index = 0; index < piece.length; index++)
      this.#read(piece.charAt(index), start + index);
  }

  /** The value of the text so far; `undefined` if there is none yet, or if it is not JSON. */
  get value(): JsonValue | undefined {
    const readable = this.#readable();
    if (readable === '') return undefined;
    try {
      return JSON.parse(readable + this.#closers.toReversed().join(''));
    } catch {
      return undefined;
    }
  }

  #readable(): string {
    if (this.#inString === 'value') return `${this.#withoutEscape()}"`;
    // A number or a word is complete at the end of the text only if no bracket encloses it.
    const bare = this.#inWord && this.#closers.length === 0;
    return bare ? this.#text : this.#text.slice(0, this.#complete);
  }

  #withoutEscape(): string {
    return this.#escape === 0 ? this.#text : this.#text.slice(0, this.#text.lastIndexOf('\\'));
  }

  #read(character: string, index: number): void {
    if (this.#inString !== undefined) return this.#readInString(character, index);
    if (this.#inWord && !/[\s,\]}]/.test(character)) return;
    if (this.#inWord) {
      this.#inWord = false;
      this.#valueEnds(index);
    }
    if (character === '{' || character === '[') {
      this.#closers.push(character === '{' ? '}' : ']');
      this.#expecting = character === '{' ? 'key' : 'value';
      this.#complete = index + 1;
    } else if (character === '}' || character === ']') {
      this.#closers.pop();
      this.#valueEnds(index + 1);
    } else if (character === '"') {
      this.#inString = this.#expecting === 'key' ? 'key' : 'value';
    } else if (character === ':') {
      this.#expecting = 'value';
    } else if (character === ',') {
      this.#expecting = this.#closers.at(-1) === '}' ? 'key' : 'value';
    } else if (!/\s/.test(character)) {
      this.#inWord = true;
    }
  }

  #readInString(character: string, index: number): void {
    if (this.#escape > 0) {
      // One character follows a backslash, and four more if it is a `u`.
      const isUnicode = character === 'u' && this.#text[index - 1] === '\\' && this.#escape === 1;
      this.#escape += isUnicode ? 3 : -1;
    } else if (character === '\\') {
      this.#escape = 1;
    } else if (character === '"') {
      if (this.#inString === 'value') this.#valueEnds(index + 1);
      else this.#expecting = 'colon';
      this.#inString = undefined;
    }
  }

  #valueEnds(at: number): void {
    this.#complete = at;
    this.#expecting = 'end';
  }
}
