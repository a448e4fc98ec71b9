import type { Screen } from './screen.ts';
import type { Style } from './line.ts';
import { visible } from './visible.ts';
import { widthOf } from './width.ts';

const WIDEST = 88;

/** Text that comes in pieces, written word by word and broken between words. */
export class Paragraph {
  readonly #screen: Screen;
  readonly #margin: number;
  #column: number;
  /** The beginning of a word of which the rest has not arrived. */
  #word = '';
  /** What stands between the last word and the next one. */
  #space = '';

  /** Begins with a label; the words of further lines begin below those of the first. */
  constructor(screen: Screen, label: { readonly text: string; readonly style: Style }) {
    this.#screen = screen;
    screen.write(label.text, label.style);
    screen.write(' ');
    this.#margin = widthOf(label.text) + 1;
    this.#column = this.#margin;
  }

  /** Writes more of it. */
  add(text: string): void {
    for (const character of text) {
      if (character === ' ' || character === '\n') this.#endWord(character);
      else this.#word += character;
    }
  }

  /** Writes what is left, and ends the line. */
  end(): void {
    this.#endWord('');
    this.#screen.write('\n');
  }

  #endWord(space: string): void {
    const word = visible(this.#word);
    const width = widthOf(word);
    const widest = Math.min(this.#screen.columns, WIDEST);
    if (word !== '' && this.#column > this.#margin && this.#column + 1 + width > widest) {
      this.#newLine();
    } else {
      this.#screen.write(this.#space);
      this.#column += this.#space.length;
    }
    this.#screen.write(word);
    this.#column += width;
    this.#word = '';
    this.#space = space === ' ' ? ' ' : '';
    if (space === '\n') this.#newLine();
  }

  #newLine(): void {
    this.#screen.write(`\n${' '.repeat(this.#margin)}`);
    this.#column = this.#margin;
    this.#space = '';
  }
}
