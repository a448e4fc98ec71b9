/** So many pieces are put together at a time. */
const BLOCK = 256;

/**
 * A text that comes in pieces. Added up with `+=`, it would keep an object for each of them until it is
 * read, which the garbage collector would copy again and again: a delta of a long text cost a fifth more
 * than one of a short text.
 */
export class GrowingText {
  #whole: string;
  #pieces: string[] = [];

  constructor(start = '') {
    this.#whole = start;
  }

  add(piece: string): void {
    this.#pieces.push(piece);
    if (this.#pieces.length === BLOCK) this.#join();
  }

  /** The text so far. */
  get text(): string {
    if (this.#pieces.length > 0) this.#join();
    return this.#whole;
  }

  #join(): void {
    this.#whole += this.#pieces.join('');
    this.#pieces = [];
  }
}
