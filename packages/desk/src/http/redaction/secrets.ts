import type { JsonValue } from 'holdpoint';
import { REDACTED } from './redact.ts';

/** Shorter values occur by chance: they are taken out of arguments only. */
const SHORTEST = 4;

/** How often JSON is looked for in a text of JSON. */
const DEEPEST = 3;

/** Values that people do not see, wherever they occur. */
export class Secrets {
  readonly #pattern: RegExp | undefined;

  constructor(values: Iterable<string>) {
    const texts = new Set<string>();
    for (const value of values) if (value.length >= SHORTEST) addForms(texts, value);
    // The longest first: one may begin with another.
    const sorted = [...texts].toSorted((a, b) => b.length - a.length);
    if (sorted.length > 0) this.#pattern = new RegExp(sorted.map(escaped).join('|'), 'gu');
  }

  /** The same without the values, in names of members too. */
  takeOutOf(value: JsonValue): JsonValue {
    if (this.#pattern === undefined) return value;
    if (typeof value === 'string') return this.takeOutOfText(value);
    if (typeof value === 'number')
      return this.takeOutOfText(String(value)) === String(value) ? value : REDACTED;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((one) => this.takeOutOf(one));
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [this.takeOutOfText(name), this.takeOutOf(one)]),
    );
  }

  /** A text without the values. */
  takeOutOfText(text: string): string {
    return this.#pattern === undefined ? text : text.replaceAll(this.#pattern, REDACTED);
  }
}

/** A text may hold JSON, and that a text with JSON in it: some characters are written otherwise there. */
function addForms(texts: Set<string>, value: string): void {
  let form = value;
  for (let level = 0; level <= DEEPEST; level++) {
    texts.add(form);
    form = JSON.stringify(form).slice(1, -1);
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
