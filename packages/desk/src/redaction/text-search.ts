/** The position of a text that was found. */
export interface FoundText {
  readonly start: number;
  /** The index after it. */
  readonly end: number;
}

/** The number of characters of Unicode, so that a node and a character make one key. */
const CHARACTERS = 0x11_00_00;

const ROOT = 0;

/**
 * Searches for many texts at once, in any letter case. The time depends on the length of the searched text, and hardly
 * on the number of texts (Aho and Corasick, 1975).
 */
export class TextSearch {
  /** The nodes of a tree of all texts, by the key of the node above and the character. */
  readonly #edges = new Map<number, number>();
  /** The longest end of each node's text that is another node. */
  readonly #fallbacks: number[] = [ROOT];
  /** The number of characters of the longest wanted text that each node's text ends with. */
  readonly #lengths: number[] = [0];
  readonly #isSkipped: (character: string) => boolean;

  /** `isSkipped` returns true for characters that do not count, in the texts and where they are searched for. */
  constructor(texts: Iterable<string>, isSkipped: (character: string) => boolean = () => false) {
    this.#isSkipped = isSkipped;
    for (const text of texts) this.#add(text);
    this.#addFallbacks();
  }

  /** Returns the longest text that ends at each position, in the order of their ends. */
  find(text: string): readonly FoundText[] {
    const found: FoundText[] = [];
    const starts: number[] = [];
    let node = ROOT;
    let end = 0;
    for (const character of text) {
      const start = end;
      end += character.length;
      if (this.#isSkipped(character)) continue;
      starts.push(start);
      node = this.#next(node, folded(character));
      const length = this.#lengths[node] ?? 0;
      if (length > 0) found.push({ start: starts[starts.length - length] ?? 0, end });
    }
    return found;
  }

  #add(text: string): void {
    let node = ROOT;
    let length = 0;
    for (const character of text) {
      if (this.#isSkipped(character)) continue;
      const key = node * CHARACTERS + folded(character);
      node = this.#edges.get(key) ?? this.#newNode(key);
      length += 1;
    }
    this.#lengths[node] = length;
  }

  #newNode(key: number): number {
    const node = this.#lengths.length;
    this.#edges.set(key, node);
    this.#lengths.push(0);
    this.#fallbacks.push(ROOT);
    return node;
  }

  /** Adds the fallbacks, nearer nodes first: those of deeper nodes depend on them. */
  #addFallbacks(): void {
    const edges = [...this.#edges].map(([key, node]) => ({ key, node }));
    const depths: number[] = [0];
    // A node is created after the node above it.
    for (const { key, node } of edges)
      depths[node] = (depths[Math.floor(key / CHARACTERS)] ?? 0) + 1;
    edges.sort((one, other) => (depths[one.node] ?? 0) - (depths[other.node] ?? 0));
    for (const { key, node } of edges) {
      const above = Math.floor(key / CHARACTERS);
      const fallback = this.#fallbacks[above] ?? ROOT;
      const same = above === ROOT ? ROOT : this.#next(fallback, key % CHARACTERS);
      this.#fallbacks[node] = same;
      this.#lengths[node] = Math.max(this.#lengths[node] ?? 0, this.#lengths[same] ?? 0);
    }
  }

  #next(from: number, character: number): number {
    let node = from;
    for (;;) {
      const next = this.#edges.get(node * CHARACTERS + character);
      if (next !== undefined) return next;
      if (node === ROOT) return ROOT;
      node = this.#fallbacks[node] ?? ROOT;
    }
  }
}

/** Returns the number of a character without its letter case. */
function folded(character: string): number {
  const upper = character.toUpperCase();
  // Some letters have no single capital.
  const isSingle = [...upper].length === 1;
  const lower = (isSingle ? upper : character).toLowerCase();
  return ([...lower].length === 1 ? lower : character).codePointAt(0) ?? 0;
}
