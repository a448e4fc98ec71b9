import type { JsonValue } from 'holdpoint';
import { REDACTED } from './redact.ts';

/** Shorter values occur inside other words by chance, so they must stand alone to be found. */
const MIN_INSIDE_WORDS = 4;

/** Longer values are found only exactly as they are: a pattern for them would be too large. */
const MAX_PATTERN = 500;

/** The maximum depth of JSON text inside JSON text. */
const MAX_NESTED_JSON = 3;

/** White space and hyphens, which people put inside numbers and keys to read them. */
const SEPARATORS = /[\s-]/gu;

/**
 * Values that people must not see, wherever they occur.
 *
 * A value is found in any letter case, and with white space or hyphens inside. A value with fewer than
 * four characters is found where it stands alone.
 */
export class Secrets {
  readonly #pattern: RegExp | undefined;
  readonly #long: readonly string[];

  constructor(values: Iterable<string>) {
    const forms = new Set<string>();
    for (const value of values) if (value.trim() !== '') addForms(forms, value);
    // Longest first, because one value may begin with another.
    const sorted = [...forms].toSorted((a, b) => b.length - a.length);
    this.#long = sorted.filter((form) => form.length > MAX_PATTERN);
    const patterns = sorted.filter((form) => form.length <= MAX_PATTERN).map(patternOf);
    if (patterns.length > 0) this.#pattern = new RegExp(patterns.join('|'), 'giu');
  }

  /** Returns the value without the secrets, also without those in names of members. */
  takeOutOf(value: JsonValue): JsonValue {
    if (this.#isEmpty) return value;
    if (typeof value === 'string') return this.takeOutOfText(value);
    if (typeof value === 'number')
      return this.takeOutOfText(String(value)) === String(value) ? value : REDACTED;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((one) => this.takeOutOf(one));
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [this.takeOutOfText(name), this.takeOutOf(one)]),
    );
  }

  /** Returns the text without the secrets. */
  takeOutOfText(text: string): string {
    let left = text;
    for (const value of this.#long) left = left.replaceAll(value, REDACTED);
    return this.#pattern === undefined ? left : left.replaceAll(this.#pattern, REDACTED);
  }

  get #isEmpty(): boolean {
    return this.#pattern === undefined && this.#long.length === 0;
  }
}

/** Adds the value, and the value as it is written in JSON text and in JSON text inside that. */
function addForms(forms: Set<string>, value: string): void {
  let form = value;
  for (let level = 0; level <= MAX_NESTED_JSON; level++) {
    forms.add(form);
    form = JSON.stringify(form).slice(1, -1);
  }
}

function patternOf(form: string): string {
  const characters = [...form.replaceAll(SEPARATORS, '')];
  if (characters.length < MIN_INSIDE_WORDS) {
    return String.raw`(?<![\p{L}\p{N}_])${escaped(form)}(?![\p{L}\p{N}_])`;
  }
  // No character of the value is a separator any more, so the pattern takes linear time.
  return characters.map(escaped).join(String.raw`[\s\-]*`);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
}
