import { InvalidJsonError } from '../../errors/user-errors.ts';
import { isPlainObject } from '../../internal/json.ts';

/** The path from the top of a document to one of its values; names the place of a problem. */
export class JsonPath {
  /** The top of a document. */
  static readonly root: JsonPath = new JsonPath(undefined, '');

  readonly #parent: JsonPath | undefined;
  readonly #step: string | number;

  private constructor(parent: JsonPath | undefined, step: string | number) {
    this.#parent = parent;
    this.#step = step;
  }

  /** Returns the path with these steps. */
  static of(...steps: readonly (string | number)[]): JsonPath {
    return steps.reduce<JsonPath>((path, step) => path.at(step), JsonPath.root);
  }

  /** Returns the path of a member or an item of the value at this path. */
  at(step: string | number): JsonPath {
    return new JsonPath(this, step);
  }

  /** Throws an {@link InvalidJsonError} with this path. */
  fail(problem: string): never {
    throw new InvalidJsonError(this.toString(), problem);
  }

  /** Throws that the value at this path is not the expected one. Does not repeat the value: it may be a secret. */
  mismatch(expected: string, found: unknown): never {
    this.fail(`Expected ${expected}, found ${describe(found)}.`);
  }

  /** Like {@link mismatch}, but repeats a string: for names, dates and other short texts. */
  mismatchedText(expected: string, found: unknown): never {
    if (typeof found !== 'string') return this.mismatch(expected, found);
    return this.fail(`Expected ${expected}, found ${quote(found)}.`);
  }

  toString(): string {
    const [first, ...others] = this.#steps();
    if (first === undefined) return 'document';
    return (isName(first) ? escape(first) : inBrackets(first)) + others.map(suffix).join('');
  }

  #steps(): (string | number)[] {
    return this.#parent === undefined ? [] : [...this.#parent.#steps(), this.#step];
  }
}

function suffix(step: string | number): string {
  return isName(step) ? `.${escape(step)}` : inBrackets(step);
}

function isName(step: string | number): step is string {
  return typeof step === 'string' && /^[\w$]+$/.test(step);
}

function inBrackets(step: string | number): string {
  return `[${typeof step === 'number' ? step : quote(step)}]`;
}

function escape(name: string): string {
  return quote(name).slice(1, -1);
}

/** Quotes a string for an error message, and shortens a long one. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** Lists quoted names: `"a", "b" or "c"`. */
export function quoteAll(names: readonly string[]): string {
  const last = quote(names.at(-1) ?? '');
  const others = names.slice(0, -1).map(quote);
  return others.length > 0 ? `${others.join(', ')} or ${last}` : last;
}

function describe(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'number':
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return 'an array';
      return isPlainObject(value) ? 'an object' : 'an instance of a class';
    default:
      return `a ${typeof value}`;
  }
}
