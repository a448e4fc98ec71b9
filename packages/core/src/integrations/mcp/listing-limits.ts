/** The number of pages that a server may list its tools on. */
export const MAX_PAGES = 100;
/** The number of tools that a server may list. */
const MAX_TOOLS = 5000;
/** The number of characters that all listed tools may have together: names, descriptions, schemas and the rest. */
const MAX_CHARACTERS = 10_000_000;

/** Collects the tools that a server lists, within limits on their number and their size in memory. */
export class BoundedListing {
  readonly tools: unknown[] = [];
  #characters = 0;

  /** Adds a page, unless the tools exceed a limit with it; returns the limit as text if they do. */
  add(page: readonly unknown[]): string | undefined {
    if (this.tools.length + page.length > MAX_TOOLS) return `${MAX_TOOLS} tools`;
    this.#characters += countCharacters(page, MAX_CHARACTERS - this.#characters);
    if (this.#characters > MAX_CHARACTERS) return `${MAX_CHARACTERS} characters`;
    for (const tool of page) this.tools.push(tool);
    return undefined;
  }
}

/** Counts the characters that JSON has at least for a value, and stops as soon as there are more than `max`. */
function countCharacters(value: unknown, max: number): number {
  let count = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0 && count <= max) {
    const next = rest.pop();
    count += typeof next === 'string' ? next.length + 2 : 1;
    if (typeof next !== 'object' || next === null) continue;
    // A list has its positions as keys, which JSON does not write.
    const isList = Array.isArray(next);
    for (const [key, member] of Object.entries(next)) {
      count += isList ? 1 : key.length + 4;
      rest.push(member);
    }
  }
  return count;
}
