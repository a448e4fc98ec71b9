import type { JsonValue } from '../internal/json.ts';

/** What is expected next in the text. */
type Expecting = 'value' | 'key' | 'colon' | 'end';

/**
 * JSON text that is still coming in: what it says so far can be read at any time.
 *
 * Each character is looked at once, when it comes. Texts are shown as far as they are there; a
 * number, a word or a key shows once it is complete.
 */
export class PartialJson {
  #text = '';
  /** The closing brackets that are still missing, innermost last. */
  readonly #closers: string[] = [];
  #expecting: Expecting = 'value';
  #inString: 'value' | 'key' | undefined;
  /** How many more characters the escape at the end of the text needs. */
  #escape = 0;
  #inWord = false;
  /** Up to here the text is complete but for closing brackets. */
  #complete = 0;

  push(piece: string): void {
    const start = this.#text.length;
    this.#text += piece;
    for (let index = 0; index < piece.length; index++)
      this.#look(piece.charAt(index), start + index);
  }

  /** What the text says so far; `undefined` if that is nothing yet, or no JSON. */
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
    // Only a value that nothing encloses is complete without anything after it.
    const bare = this.#inWord && this.#closers.length === 0;
    return bare ? this.#text : this.#text.slice(0, this.#complete);
  }

  #withoutEscape(): string {
    return this.#escape === 0 ? this.#text : this.#text.slice(0, this.#text.lastIndexOf('\\'));
  }

  #look(character: string, index: number): void {
    if (this.#inString !== undefined) return this.#lookInString(character, index);
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

  #lookInString(character: string, index: number): void {
    if (this.#escape > 0) {
      // A backslash takes one character; if that is a `u`, four more.
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
