import type { JsonValue } from 'holdpoint';
import { REDACTED } from './redact.ts';
import { type FoundText, TextSearch } from './text-search.ts';

/** Shorter values occur inside other words by chance, so they must stand alone to be found. */
const MIN_INSIDE_WORDS = 4;

/**
 * The maximum length of values that are found in other forms. A search for longer ones would need
 * too much memory.
 */
const MAX_FLEXIBLE = 500;

/** The maximum depth of JSON text inside JSON text. */
const MAX_NESTED_JSON = 3;

/** White space and hyphens, which people put inside numbers and keys to read them. */
const SEPARATOR = /[\s-]/u;

/** A letter or digit beside a short value, which then is a part of a word. */
const WORD = /[\p{L}\p{N}_]/u;

/**
 * Values that people must not see, wherever they occur.
 *
 * A value is found in any letter case, and with white space or hyphens inside. A value with fewer than
 * four characters is found where it stands alone.
 */
export class Secrets {
  readonly #inside: TextSearch;
  /** Short values by their number of characters, because each must stand alone. */
  readonly #short: readonly TextSearch[];
  readonly #long: readonly string[];
  readonly #isEmpty: boolean;

  constructor(values: Iterable<string>) {
    const forms = new Set<string>();
    for (const value of values) if (value.trim() !== '') addForms(forms, value);
    const flexible = [...forms].filter((form) => form.length <= MAX_FLEXIBLE);
    const isShort = (form: string) => keptIn(form) < MIN_INSIDE_WORDS;
    this.#isEmpty = forms.size === 0;
    this.#inside = new TextSearch(
      flexible.filter((form) => !isShort(form)),
      isSeparator,
    );
    const short = flexible.filter(isShort);
    const lengths = new Set(short.map(({ length }) => length));
    this.#short = [...lengths].map(
      (length) => new TextSearch(short.filter((form) => form.length === length)),
    );
    // Longest first, because one value may begin with another.
    this.#long = [...forms]
      .filter((form) => form.length > MAX_FLEXIBLE)
      .toSorted((one, other) => other.length - one.length);
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
    const alone = this.#short.flatMap((search) => search.find(left)).filter(standsAlone(left));
    return withoutParts(left, [...this.#inside.find(left), ...alone]);
  }
}

function isSeparator(character: string): boolean {
  return SEPARATOR.test(character);
}

/** Returns the number of characters of a value that are not separators. */
function keptIn(form: string): number {
  return [...form].filter((character) => !isSeparator(character)).length;
}

/** Returns a function that returns true for a part of a text that is not inside a word. */
function standsAlone(text: string): (part: FoundText) => boolean {
  return ({ start, end }) => {
    const before = Array.from(text.slice(Math.max(0, start - 2), start)).at(-1) ?? '';
    const [after = ''] = text.slice(end, end + 2);
    return !WORD.test(before) && !WORD.test(after);
  };
}

/** Returns a text with a placeholder for each of its parts; parts that overlap have one placeholder. */
function withoutParts(text: string, parts: readonly FoundText[]): string {
  if (parts.length === 0) return text;
  let left = '';
  let written = 0;
  let open: FoundText | undefined;
  for (const part of parts.toSorted((one, other) => one.start - other.start)) {
    if (open !== undefined && part.start < open.end) {
      open = { start: open.start, end: Math.max(open.end, part.end) };
      continue;
    }
    if (open !== undefined) {
      left += text.slice(written, open.start) + REDACTED;
      written = open.end;
    }
    open = part;
  }
  if (open !== undefined) {
    left += text.slice(written, open.start) + REDACTED;
    written = open.end;
  }
  return left + text.slice(written);
}

/** Adds the value, its form in JSON text, and its form in JSON text inside JSON text. */
function addForms(forms: Set<string>, value: string): void {
  let form = value;
  for (let level = 0; level <= MAX_NESTED_JSON; level++) {
    forms.add(form);
    form = JSON.stringify(form).slice(1, -1);
  }
}
